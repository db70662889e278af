// Load for a proxy in another process: latency one in flight, rate many in flight, processor time and memory of that process.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "undici";

const ticksPerSecond = 100;

/** Starts a program that prints its URL, and gives it with that URL. */
export async function start(argv, env = {}, pattern = /http:\/\/[\w.:-]+/) {
  const child = spawn(process.execPath, argv, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  return new Promise((resolve, reject) => {
    const take = (chunk) => {
      output += chunk;
      const found = pattern.exec(output);
      if (found !== null) resolve({ url: found[0], pid: child.pid, stop: () => child.kill() });
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.once("close", (code) => reject(new Error(`${argv[0]} ended with ${code}:\n${output.slice(-2000)}`)));
  });
}

/** Seconds of processor time, user and system, that a process has used; NaN where the system does not say. */
function processorSeconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}

/** Peak resident megabytes of a process; NaN where the system does not say. */
export function peakMegabytes(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Sends `count` requests, so many in flight; median milliseconds, requests a second, processor microseconds a request. */
export async function drive({ url, pid, path = "/v1/chat/completions", headers = {}, body }, count, width) {
  const dispatcher = new Agent({ connections: width });
  const times = [];
  let left = count;
  const used = processorSeconds(pid);
  const since = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) {
        const from = performance.now();
        const answer = await request(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body,
          dispatcher,
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
        times.push(performance.now() - from);
      }
    }),
  );
  const seconds = (performance.now() - since) / 1000;
  await dispatcher.close();
  times.sort((left, right) => left - right);
  return {
    p50: times[Math.floor(times.length / 2)],
    rate: count / seconds,
    processor: ((processorSeconds(pid) - used) / count) * 1e6,
  };
}

/** Measures in turns, so that what else the machine does falls on all alike; medians of all rounds. */
export async function inTurns(subjects, rounds, count, width) {
  const figures = new Map(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, subject] of Object.entries(subjects)) figures.get(name).push(await drive(subject, count, width));
  const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
  return Object.fromEntries(
    [...figures].map(([name, all]) => [
      name,
      Object.fromEntries(["p50", "rate", "processor"].map((key) => [key, median(all.map((each) => each[key]))])),
    ]),
  );
}
