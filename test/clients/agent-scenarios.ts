import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TurnTrace } from "../../src/adapter/trace.ts";
import type { Handler } from "../../src/protocol/handler.ts";
import { scriptMarker } from "../../src/testbed/scripted/scripted-model.ts";
import type { RunningServer } from "../../src/testbed/servers/server-process.ts";
import { hermesTemplate, plainTemplate } from "../../src/testbed/templates/jinja.ts";
import { type AdapterProcess, type ChangingServer, startAdapter, startChangingServer } from "./adapter-process.ts";
import type { Agent, AgentRun } from "./agent.ts";
import { inPlace, type Place } from "./client-run.ts";
import { startScriptedModel } from "./scripted-model.ts";
import { leaked, leakedCall, simulate } from "./simulated-model.ts";

/** What a scenario leaves behind to look at. */
export interface Observed extends AgentRun {
  readonly place: Place;
  /** What the adapter has recorded of it so far; the last turn's may come a moment after the client's end. */
  traces(): readonly TurnTrace[];
}

/** The adapter in front of a simulated server, and agents run against it. */
export interface Stand {
  readonly adapter: AdapterProcess;
  readonly server: ChangingServer;
}

/** Opens the stand for the tests of a file. */
export function useStand(): () => Stand {
  let stand: Stand | null = null;
  beforeAll(async () => {
    const server = await startChangingServer(simulate({ first: { text: "Hello." } }));
    stand = { server, adapter: await startAdapter(server.url) };
  });
  afterAll(async () => {
    await stand?.adapter.stop();
    await stand?.server.close();
  });
  return () => {
    if (stand === null) throw new Error("the stand is not open");
    return stand;
  };
}

/** Names of everything that stages decided, as `stage:decision`. */
export function decisions(traces: readonly TurnTrace[]): readonly string[] {
  return traces.flatMap(({ entries }) => entries.map(({ stage, decision }) => `${stage}:${decision}`));
}

/** Runs `use` in a place of its own and checks what holds for every run: its end, its processes, and whom it asked. */
export function observed(
  { wants, leaves }: Pick<Agent, "wants" | "leaves">,
  adapter: AdapterProcess,
  run: (place: Place) => Promise<AgentRun>,
  check: (seen: Observed) => Promise<void> | void,
): Promise<void> {
  return inPlace(async (place) => {
    const before = adapter.traces().length;
    const result = await run(place);
    const { finished } = result;
    const told = `${finished.stderr}\n${finished.stdout}`;
    expect(finished, told).toMatchObject({ exitCode: 0, timedOut: false });
    expect(
      finished.leftBehind.filter((command) => leaves?.test(command) !== true),
      told,
    ).toEqual([]);
    const unexpected = place.proxy.refused.filter((address) => wants?.test(address) !== true);
    expect(unexpected, "what the client wanted from the world").toEqual([]);
    await check({ ...result, place, traces: () => adapter.traces().slice(before) });
  });
}

const look = "In which folder are you working? Find out and tell me.";
const here = "That is the folder I am in.";

interface Scenario {
  readonly name: string;
  readonly prompt: string;
  model(agent: Agent): Handler;
  /** Commands that must have run, each with exit code 0, and no others. */
  readonly commands: readonly string[];
  /** What the client says last; a function where it depends on the folder that it works in. */
  readonly message: RegExp | ((work: string) => string);
  /** Decisions that the adapter's traces must hold, and those that they must not. */
  readonly decided: readonly string[];
  readonly undecided?: readonly string[];
  /** The model gets none of the turn's requests. */
  readonly skipsModel?: boolean;
}

const broken = (agent: Agent, end: string): string =>
  `{"name": "${agent.shell.tool}", "arguments": ${JSON.stringify(agent.shell.call("pwd"))}${end}`;

const scenarios: readonly Scenario[] = [
  {
    name: "`run pwd`, and a model that only writes commands in prose",
    prompt: "run pwd",
    model: () => simulate({ first: { text: "You can run this:\n\n```bash\npwd\n```\n" }, afterResult: here }),
    commands: ["pwd"],
    message: /^That is the folder I am in\.$/,
    decided: ["router:routed"],
  },
  {
    name: "the same wish in Japanese",
    prompt: "pwd を実行して",
    model: () => simulate({ first: { text: "```bash\npwd\n```\nを実行してください。" }, afterResult: here }),
    commands: ["pwd"],
    message: /^That is the folder I am in\.$/,
    decided: ["router:routed"],
  },
  {
    name: "a model that leaks its call as Hermes JSON",
    prompt: look,
    model: ({ shell }) =>
      simulate({ first: leaked("hermes", shell.tool, shell.call("pwd")), tool: shell.tool, afterResult: here }),
    commands: ["pwd"],
    message: /^That is the folder I am in\.$/,
    decided: ["scan:call_from_text"],
  },
  {
    name: "a model that leaks its call as Qwen XML",
    prompt: look,
    model: ({ shell }) =>
      simulate({ first: leaked("qwen3_coder", shell.tool, shell.call("pwd")), tool: shell.tool, afterResult: here }),
    commands: ["pwd"],
    message: /^That is the folder I am in\.$/,
    decided: ["scan:call_from_text"],
  },
  {
    name: "a model that writes broken JSON",
    prompt: look,
    model: (agent) => simulate({ first: { text: broken(agent, "") }, tool: agent.shell.tool, afterResult: here }),
    commands: ["pwd"],
    message: /^That is the folder I am in\.$/,
    decided: ["scan:call_from_text", "repair:repaired:missing_outer_brace"],
  },
  {
    name: "a model that writes two leaked calls in one reply",
    prompt: look,
    model: ({ shell }) =>
      simulate({
        first: {
          calls: ["pwd", "echo second"].map((command) => leakedCall("hermes", shell.tool, shell.call(command))),
        },
        tool: shell.tool,
        afterResult: here,
      }),
    commands: ["pwd", "echo second"],
    message: /^That is the folder I am in\.$/,
    decided: ["scan:call_from_text"],
  },
  {
    name: "output only: the result itself, from the client's framing, without the model",
    prompt: "Run `pwd` and return only the output.",
    model: () => simulate({ first: { text: "Something else." }, afterResult: "It printed a folder." }),
    commands: ["pwd"],
    message: (work) => work,
    decided: ["router:routed", "relay:relayed"],
    skipsModel: true,
  },
  {
    name: "a plain question",
    prompt: "What is the capital of France?",
    model: () => simulate({ first: { text: "It is Paris.\n\nIt lies on the **Seine**." } }),
    commands: [],
    message: /^It is Paris\.\n\nIt lies on the \*\*Seine\*\*\.$/,
    decided: ["intent:user_turn"],
    undecided: ["router:routed", "scan:call_from_text"],
  },
  {
    name: "a question about a command is not the command",
    prompt: "What does `pwd` do? Explain it, do not run it.",
    model: ({ shell }) =>
      simulate({ first: leaked("hermes", shell.tool, shell.call("pwd")), tool: shell.tool, afterResult: here }),
    commands: [],
    message: /\bpwd\b|not run/,
    decided: ["scan:call_from_text", "intent:call_withheld"],
    undecided: ["router:routed"],
  },
];

/** What every command line agent must do through the adapter. */
export function describeAgent(
  agent: Agent,
  stand: () => Stand,
  seen?: (name: string, what: Observed) => Promise<void>,
) {
  describe(agent.name, () => {
    it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (name, scenario) => {
      const { prompt, model, commands, message, decided, undecided, skipsModel } = scenario;
      const { adapter, server } = stand();
      server.play(model(agent));
      return observed(
        agent,
        adapter,
        (place) => agent.run(prompt, adapter.url, place),
        async (what) => {
          const told = JSON.stringify(what.events, null, 1);
          expect(
            what.commands.map(({ exitCode }) => exitCode),
            told,
          ).toEqual(commands.map(() => 0));
          // Calls of one reply run at the same time, and are reported as they end.
          const ranAs = (command: string) => what.commands.find((ran) => ran.command.includes(command));
          for (const command of commands) expect(ranAs(command), `${command}: ${told}`).toBeDefined();
          if (typeof message === "function") expect(what.message.trim(), told).toBe(message(what.place.work));
          else expect(what.message, told).toMatch(message);
          await expect.poll(() => decisions(what.traces())).toEqual(expect.arrayContaining([...decided]));
          for (const decision of undecided ?? []) expect(decisions(what.traces())).not.toContain(decision);
          for (const errand of agent.errands) {
            const asked = () => what.traces().filter((trace) => decisions([trace]).includes(`intent:${errand}`));
            await expect
              .poll(() => asked().length, { message: `the client's own request: ${errand}` })
              .toBeGreaterThan(0);
            expect(decisions(asked())).not.toContain("router:routed");
          }
          if (commands[0] === "pwd") {
            expect(ranAs("pwd")?.output).toContain(what.place.work);
            // The result went the whole way: to the model, as a tool's result.
            const results = server.asked.map(({ messages }) => JSON.stringify(messages));
            const reached = results.some((text) => text.includes('"role":"tool"') && text.includes(what.place.work));
            expect(reached).toBe(skipsModel !== true);
          }
          await seen?.(name, what);
        },
      );
    });

    // A machine that cannot have the server says so to whoever runs the tests.
    it.skipIf(process.env["LAB_NO_SERVERS"] === "1").each([
      ["parses calls itself", hermesTemplate, []],
      ["knows no tools, so that they are put into the prompt", plainTemplate, ["prompt:hermes", "scan:call_from_text"]],
    ])("two commands in a row on a real llama-server that %s", async (_, chatTemplate, decided) => {
      const folder = await mkdtemp(join(tmpdir(), "harness-lab-scripted-"));
      let server: RunningServer | undefined;
      let adapter: AdapterProcess | undefined;
      // The marker of the next script is made by the command, so that the model goes on only if it gets to see the result.
      const step = (next: string) =>
        `<tool_call>\n${JSON.stringify({ name: agent.shell.tool, arguments: agent.shell.call(`pwd; printf '<|%s:%s|>' script ${next}`) })}\n</tool_call>`;
      try {
        server = await startScriptedModel(
          { idle: "Nothing to do.", first: step("second"), second: step("third"), third: "Two commands have run." },
          { chatTemplate, folder },
        );
        const running = await startAdapter(server.url);
        adapter = running;
        await observed(
          agent,
          running,
          (place) => agent.run(`Look around, twice. ${scriptMarker("first")}`, running.url, place),
          async (what) => {
            const told = JSON.stringify(what.events, null, 1);
            expect(
              what.commands.map(({ output }) => /<\|script:(\w+)\|>/.exec(output)?.[1]),
              told,
            ).toEqual(["second", "third"]);
            expect(what.message, told).toBe("Two commands have run.");
            await expect.poll(() => decisions(what.traces())).toEqual(expect.arrayContaining(decided));
          },
        );
      } finally {
        await adapter?.stop();
        await server?.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
