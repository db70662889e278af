/** What decides whether a prebuilt binary runs here. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
  /** Version of the C library ("2.36"); null where it is another one than glibc. */
  readonly glibc: string | null;
}

/** The machine this process runs on. */
export function thisPlatform(): Platform {
  const report: unknown = process.report.getReport();
  const header = typeof report === "object" && report !== null && "header" in report ? report.header : null;
  const glibc =
    typeof header === "object" && header !== null && "glibcVersionRuntime" in header
      ? header.glibcVersionRuntime
      : undefined;
  return { os: process.platform, arch: process.arch, glibc: typeof glibc === "string" ? glibc : null };
}

/** The oldest C library that the prebuilt servers run with. */
const oldestGlibc = "2.35";

/** Why a prebuilt server does not run on a platform, in one line; null where it does. */
export function wheelProblem({ os, arch, glibc }: Platform, what = "llama-server"): string | null {
  const needs = `the prebuilt ${what} needs Linux on x86_64 with glibc ${oldestGlibc} or newer`;
  if (os !== "linux" || arch !== "x64") return `${needs}; this is ${os} on ${arch}`;
  if (glibc === null) return `${needs}; this system has another C library`;
  return isOlder(glibc, oldestGlibc) ? `${needs}; this system has glibc ${glibc}` : null;
}

function isOlder(version: string, than: string): boolean {
  const left = version.split(".").map(Number);
  const right = than.split(".").map(Number);
  const at = right.findIndex((part, index) => (left[index] ?? 0) !== part);
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0);
}
