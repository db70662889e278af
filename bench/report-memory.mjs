// Loaded into a measured process: leaves its peak memory (kilobytes) in the file that BENCH_MEMORY names.
import { writeFileSync } from "node:fs";

process.on("exit", () => writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));
