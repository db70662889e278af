// Imports are checked by dependency-cruiser; a clock or an unseeded random needs no import, so it is looked for here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const pureFolders = ["protocol", "lab/classify", "lab/diagnose", "lab/stats", "lab/gate", "simulator", "adapter"];
const forbidden = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bcrypto\.random|\bprocess\./;

const findings = pureFolders.flatMap((folder) =>
  readdirSync(join(root, "src", folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      return readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line, index) =>
          forbidden.test(line.replace(/\/\/.*/, "")) ? [`${file.slice(root.length)}:${index + 1}: ${line.trim()}`] : [],
        );
    }),
);
if (findings.length > 0) {
  console.error(
    `Pure folders read a clock, a random source or the process; inject it instead:\n${findings.join("\n")}`,
  );
  process.exitCode = 1;
}
