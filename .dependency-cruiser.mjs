import { builtinModules } from "node:module";

// The import rules of ARCHITECTURE.md, one sentence of reason each. Stage rules are generated from this one array.
const stages = ["scenario", "transport", "capture", "target", "classify", "diagnose", "stats", "gate", "report"];
const siblings = ["lab", "adapter", "simulator", "testbed"];
const pure = ["src/protocol", "src/lab/classify", "src/lab/diagnose", "src/lab/stats", "src/lab/gate"].map(
  (folder) => `^${folder}/`,
);

// Dependency-cruiser cannot ask for "any core module" and "reachable" in one rule, so they are named.
const coreModules = `^(${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`;

export default {
  forbidden: [
    {
      name: "no-cycle",
      comment: "Data flows one way: a cycle means two files do not know which of them comes first.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "protocol-imports-nothing-of-ours",
      comment: "The shared language has no opinion about sockets, measuring or repairing.",
      severity: "error",
      from: { path: "^src/protocol/" },
      to: { path: "^src/(?!protocol/)" },
    },
    {
      name: "http-imports-only-the-handler-contract",
      comment: "Sockets carry bytes and know nothing of chat.",
      severity: "error",
      from: { path: "^src/http/" },
      to: {
        path: "^src/",
        pathNot: ["^src/http/", "^src/protocol/(?:handler|plain-message|plain-request|plain-response|read-url)\\.ts$"],
      },
    },
    {
      name: "siblings-never-import-each-other",
      comment: "Lab, adapter, simulator and testbed meet only in cli and test, so each can be used and trusted alone.",
      severity: "error",
      from: { path: `^src/(${siblings.join("|")})/` },
      to: { path: `^src/(${siblings.join("|")})/`, pathNot: "^src/$1/" },
    },
    {
      name: "only-the-lab-uses-sockets",
      comment: "Adapter, simulator and testbed receive Handlers; a socket is wiring and wiring lives in cli.",
      severity: "error",
      from: { path: "^src/(adapter|simulator|testbed)/" },
      to: { path: "^src/http/" },
    },
    {
      name: "adapter-imports-only-protocol",
      comment: "The adapter is a Handler around a Handler: whatever else it needs of the world is given to it.",
      severity: "error",
      from: { path: "^src/adapter/" },
      to: { path: "^src/(?!adapter/|protocol/)" },
    },
    {
      name: "adapter-names-no-core-module",
      comment: "No files, no sockets, no clock of its own; and it can never run a process.",
      severity: "error",
      from: { path: "^src/adapter/" },
      to: { path: coreModules },
    },
    {
      name: "adapter-never-reaches-processes",
      comment: "Commands are run by the client, behind its user's approval, and by nobody else.",
      severity: "error",
      from: { path: "^src/adapter/" },
      to: { path: "^child_process$", reachable: true },
    },
    {
      name: "truth-is-read-without-our-readers",
      comment:
        "Known truth is what the lab is measured against: found with the lab's own readers it would agree with them.",
      severity: "error",
      from: { path: "^src/testbed/" },
      to: { path: "^src/protocol/(formats|repair|servers)/" },
    },
    {
      name: "nothing-imports-the-cli",
      comment: "The composition root is the end of the line.",
      severity: "error",
      from: { pathNot: "^src/cli/" },
      to: { path: "^src/cli/" },
    },
    ...stages.map((stage, index) => ({
      name: `stage-${stage}-imports-earlier-stages-only`,
      comment:
        "Stages form a pipeline; a later stage is not known to an earlier one, and none knows the loop in run.ts.",
      severity: "error",
      from: { path: `^src/lab/${stage}/` },
      to: { path: `^src/lab/(${[...stages.slice(index + 1).map((later) => `${later}/`), "run\\.ts"].join("|")})` },
    })),
    {
      name: "pure-means-reachable",
      comment: "Judging must give the same answer from a stored capture in ten years: no node: module may be reached.",
      severity: "error",
      from: { path: pure.join("|") },
      // node:crypto's hash is a pure function; it is allowed where a stage names it, and these stages name nothing.
      to: { path: coreModules, reachable: true },
    },
    {
      name: "pure-does-not-reach-sockets",
      comment: "Pure stages see captures, never servers.",
      severity: "error",
      from: { path: pure.join("|") },
      to: { path: "^src/http/|/undici/", reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { extensions: [".ts", ".js", ".mjs"] },
  },
};
