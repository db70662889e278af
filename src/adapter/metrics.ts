import { Counter, Histogram, Registry } from "prom-client";
import type { TurnTrace } from "./trace.ts";

/** Counts what the adapter did, in Prometheus' text format. */
export interface Metrics {
  note(trace: TurnTrace): void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** A registry of its own for each adapter, so that several in one process do not add up. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = createTally(registry, "adapter_requests_total", "Requests by front, client and outcome", [
    "front",
    "client",
    "outcome",
  ]);
  const decisions = createTally(registry, "adapter_stage_decisions_total", "Decisions by stage", ["stage", "decision"]);
  const repairs = createTally(registry, "adapter_repairs_total", "Repairs of tool calls by name", ["repair"]);
  const suppressed = createTally(
    registry,
    "adapter_suppressed_calls_total",
    "Calls and commands that were withheld, by stage",
    ["stage"],
  );
  const added = new Histogram({
    name: "adapter_added_seconds",
    help: "Time spent in stages, by turn",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  });
  const upstream = createTally(registry, "adapter_upstream_requests_total", "Requests sent to the model server", []);
  const observed = added.labels();
  return {
    note(trace) {
      requests.add(1, trace.front, trace.client, trace.outcome);
      upstream.add(trace.upstreamRequests);
      for (const { stage, decision } of trace.entries) {
        if (stage === "repair" && decision.startsWith("repaired:")) repairs.add(1, decision.slice(9));
        else decisions.add(1, stage, decision);
        if (decision === "withheld" || decision === "suppressed" || decision.endsWith("_withheld"))
          suppressed.add(1, stage);
      }
      let ms = 0;
      for (const cost of trace.costs) ms += cost.ms;
      observed.observe(ms / 1000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** A counter with labels, counted in a map and told to the registry when somebody asks: the registry reads its labels each time. */
interface Tally {
  add(by: number, ...labels: readonly string[]): void;
}

function createTally(registry: Registry, name: string, help: string, labelNames: readonly string[]): Tally {
  const counts = new Map<string, { readonly labels: readonly string[]; count: number }>();
  new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, count } of counts.values())
        this.inc(Object.fromEntries(labelNames.map((label, at) => [label, labels[at] ?? ""])), count);
    },
  });
  return {
    add(by, ...labels) {
      const key = labels.join("\n");
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { labels, count: by });
      else known.count += by;
    },
  };
}
