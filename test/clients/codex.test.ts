import { describe, expect, it } from "vitest";
import { decisions, describeAgent, observed, useStand } from "./agent-scenarios.ts";
import { codex, codexExec, configureCodex } from "./codex.ts";
import { shownModel } from "./readme-config.ts";
import { leaked, simulate } from "./simulated-model.ts";
import { writeTranscript } from "./transcript.ts";

const stand = useStand();

describeAgent(codex, stand, async (name, seen) => {
  if (/Hermes/.test(name)) await writeTranscript("codex-leaked-call", `codex: ${name}`, seen);
  if (/prose/.test(name)) await writeTranscript("codex-run-pwd", `codex: ${name}`, seen);
});

describe("codex", () => {
  it("compacts by the usage that the adapter reports, and goes on with the old conversation", () => {
    const { adapter, server } = stand();
    server.play(simulate({ first: { text: "The word is heron." } }));
    return observed(
      codex,
      adapter,
      async (place) => {
        await configureCodex(place, adapter.url);
        const first = await codexExec(place, ["Tell me a word."]);
        expect(first.message, first.finished.stderr).toBe("The word is heron.");
        // A limit below what the first turn took makes the second one begin with a compaction.
        return codexExec(place, ["-c", "model_auto_compact_token_limit=1000", "resume", "--last", "run pwd"]);
      },
      async ({ commands, traces, events }) => {
        await expect.poll(() => decisions(traces())).toContain("intent:compaction");
        const told = JSON.stringify(events, null, 1);
        // The order to compact quotes the conversation; it is no turn of the user, and only the turn runs the command.
        expect(
          commands.map(({ exitCode }) => exitCode),
          told,
        ).toEqual([0]);
        expect(decisions(traces()).filter((decision) => decision === "router:routed")).toHaveLength(1);
        const compaction = traces().findIndex(({ entries }) =>
          entries.some((entry) => entry.decision === "compaction"),
        );
        expect(traces()[compaction]).toMatchObject({ outcome: "completed", upstreamRequests: 1 });
        expect(server.asked.some(({ messages }) => JSON.stringify(messages).includes("The word is heron."))).toBe(true);
      },
    );
  });

  it("takes the adapter for an Ollama with --oss, probes and all", () => {
    const { adapter, server } = stand();
    server.play(simulate({ first: { text: "```bash\npwd\n```" }, afterResult: "Done." }));
    return observed(
      codex,
      adapter,
      async (place) => {
        await configureCodex(place, adapter.url);
        const argv = ["--oss", "--local-provider", "ollama", "-m", shownModel, "run pwd"];
        return codexExec(place, argv, { CODEX_OSS_BASE_URL: `${adapter.url}/v1` });
      },
      ({ commands, message, place }) => {
        expect(message).toBe("Done.");
        expect(commands).toMatchObject([{ exitCode: 0, output: `${place.work}\n` }]);
      },
    );
  });

  it("is stopped where a model would go on with the same call for ever", () => {
    const { adapter, server } = stand();
    const again = leaked("hermes", "exec_command", { cmd: "echo again" });
    server.play(simulate({ first: again, tool: "exec_command", afterResult: again }));
    return observed(
      codex,
      adapter,
      (place) => codex.run("Look into the matter.", adapter.url, place),
      async ({ commands, message, traces, events }) => {
        const told = JSON.stringify(events, null, 1);
        expect(commands.length, told).toBeGreaterThan(1);
        expect(commands.length, told).toBeLessThan(8);
        expect(message, told).not.toBe("");
        await expect.poll(() => decisions(traces())).toContain("guard:loop_withheld");
      },
    );
  });
});
