import { visibleText } from "../lab/report/terminal-text.ts";
import type { RunEvent } from "../lab/run.ts";
import type { Messages } from "./messages.ts";
import type { World } from "./world.ts";

/** Shows how a run is getting on. `stop` leaves the terminal clean; it may be called twice. */
export interface Progress {
  onEvent(event: RunEvent): void;
  stop(): void;
}

/** Nothing with `--quiet` but failed targets and notes; a bar with the time left on a terminal; else lines at suites and every ten seconds. */
export async function openProgress(
  options: { readonly quiet: boolean; readonly messages: Messages },
  world: Pick<World, "stderr" | "clock">,
): Promise<Progress> {
  const { messages } = options;
  const clock = countSamples(world.clock.now);
  // Names and reasons come from servers: nothing that a terminal would obey gets through.
  const line = (text: string) => world.stderr.write(`${visibleText(text)}\n`);
  const { terminal } = world.stderr;
  const bar = options.quiet || terminal === null ? null : await openBar(terminal, messages);
  let lastLine = world.clock.now();
  const say = (text: string) => {
    bar?.clear();
    line(text);
  };
  return {
    onEvent: (event) => {
      clock.count(event);
      if (event.kind === "target-failed") say(`lab: ${messages.targetFailed(event.target, event.reason)}`);
      else if (event.kind === "note") say(`lab: ${event.text}`);
      if (options.quiet) return;
      switch (event.kind) {
        case "target-started":
          say(messages.target(event.index, event.of, event.target));
          break;
        case "target-identified":
          say(`  ${event.sentence}`);
          break;
        case "planned":
          if (bar === null) line(messages.planned(event.samples));
          break;
        case "suite-started":
          if (bar === null) line(`  ${messages.suite(event.target, event.suite, event.samples)}`);
          break;
        case "sample-done":
          if (bar === null && world.clock.now() - lastLine >= 10_000) {
            lastLine = world.clock.now();
            line(`  ${messages.progress(clock.done(), clock.planned(), timeLeft(clock.secondsLeft(), messages))}`);
          }
          break;
        case "target-failed":
        case "note":
          break;
        default:
          event satisfies never;
      }
      bar?.update(clock.done(), clock.planned(), timeLeft(clock.secondsLeft(), messages));
    },
    stop: () => bar?.stop(),
  };
}

interface SampleCount {
  count(event: RunEvent): void;
  done(): number;
  planned(): number;
  /** Null until a rate can be told. */
  secondsLeft(): number | null;
}

/** Samples done, planned and the seconds left at the rate since the first suite began. */
export function countSamples(now: () => number): SampleCount {
  let done = 0;
  let planned = 0;
  let started: number | null = null;
  return {
    count: (event) => {
      if (event.kind === "planned") planned = event.samples;
      if (event.kind === "suite-started") started ??= now();
      if (event.kind === "sample-done") done += 1;
    },
    done: () => done,
    planned: () => Math.max(planned, done),
    secondsLeft: () => {
      if (started === null || done === 0) return null;
      return ((now() - started) / 1000 / done) * Math.max(0, planned - done);
    },
  };
}

function timeLeft(seconds: number | null, messages: Messages): string {
  return seconds === null ? "…" : messages.timeLeft(seconds);
}

async function openBar(terminal: NodeJS.WriteStream, messages: Messages) {
  const { default: cliProgress } = await import("cli-progress");
  const bar = new cliProgress.SingleBar({
    format: "  {bar} {text}",
    barsize: 24,
    stream: terminal,
    hideCursor: true,
    gracefulExit: false,
    clearOnComplete: true,
    linewrap: false,
    fps: 8,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  });
  let active = false;
  return {
    update: (done: number, of: number, left: string) => {
      if (of === 0) return;
      const payload = { text: messages.progress(done, of, left) };
      if (active) {
        bar.setTotal(of);
        bar.update(done, payload);
      } else {
        bar.start(of, done, payload);
        active = true;
      }
    },
    clear: () => {
      if (active) bar.stop();
      active = false;
    },
    stop: () => {
      if (active) bar.stop();
      active = false;
    },
  };
}
