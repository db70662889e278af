import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const folder = fileURLToPath(new URL("../../reports/clients/", import.meta.url));

/** Writes which client passed which scenario to `reports/clients/passed.md` when a run is over. */
export function tableReporter(): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[]) {
      const cases = modules.flatMap((module) => [...module.children.allTests()]);
      const clients = [...new Set(cases.map(clientOf))];
      const scenarios = [...new Set(cases.map(scenarioOf))];
      const state = (client: string, scenario: string): string => {
        const found = cases.find((one) => clientOf(one) === client && scenarioOf(one) === scenario);
        return found?.result().state ?? "–";
      };
      const rows = [
        ["scenario", ...clients],
        ["scenario", ...clients].map(() => "---"),
        ...scenarios.map((scenario) => [scenario, ...clients.map((client) => state(client, scenario))]),
      ];
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, "passed.md"),
        `${rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n")}\n`,
      );
    },
  };
}

/** A test is named CLIENT > … > SCENARIO. */
function namesOf(test: TestCase): readonly string[] {
  return test.fullName.split(" > ");
}

function clientOf(test: TestCase): string {
  return namesOf(test)[0] ?? "";
}

function scenarioOf(test: TestCase): string {
  return namesOf(test).slice(1).join(": ");
}
