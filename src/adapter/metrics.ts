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
  const registers = [registry];
  const requests = new Counter({
    name: "adapter_requests_total",
    help: "Requests by front, client and outcome",
    labelNames: ["front", "client", "outcome"] as const,
    registers,
  });
  const decisions = new Counter({
    name: "adapter_stage_decisions_total",
    help: "Decisions by stage",
    labelNames: ["stage", "decision"] as const,
    registers,
  });
  const repairs = new Counter({
    name: "adapter_repairs_total",
    help: "Repairs of tool calls by name",
    labelNames: ["repair"] as const,
    registers,
  });
  const suppressed = new Counter({
    name: "adapter_suppressed_calls_total",
    help: "Calls and commands that were withheld, by stage",
    labelNames: ["stage"] as const,
    registers,
  });
  const added = new Histogram({
    name: "adapter_added_seconds",
    help: "Time spent in stages, by turn",
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const upstream = new Counter({
    name: "adapter_upstream_requests_total",
    help: "Requests sent to the model server",
    registers,
  });
  return {
    note(trace) {
      requests.inc({ front: trace.front, client: trace.client, outcome: trace.outcome });
      upstream.inc(trace.upstreamRequests);
      for (const { stage, decision } of trace.entries) {
        if (stage === "repair" && decision.startsWith("repaired:")) repairs.inc({ repair: decision.slice(9) });
        else decisions.inc({ stage, decision });
        if (decision === "withheld" || decision === "suppressed" || decision.endsWith("_withheld"))
          suppressed.inc({ stage });
      }
      added.observe(trace.costs.reduce((sum, { ms }) => sum + ms, 0) / 1000);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
