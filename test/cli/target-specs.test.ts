import { describe, expect, it } from "vitest";
import { configSchema, type LabConfig } from "../../src/cli/config.ts";
import { planTargets, type TargetChoice } from "../../src/cli/target-specs.ts";

const nothing: TargetChoice = {
  baseUrl: undefined,
  models: [],
  targets: [],
  serverKind: undefined,
  apiKeyEnv: undefined,
  headers: [],
};
const noConfig: LabConfig = { targets: [], defaults: {} };
const config = configSchema.parse({
  targets: [
    { name: "left", model: "qwen", baseUrl: "http://left:8000/v1", serverKind: "vllm", apiKeyEnv: "LEFT_KEY" },
    { name: "right", model: "llama", baseUrl: "http://right:11434", headers: { "X-Team": "lab" } },
  ],
  defaults: { baseUrl: "http://usual:8000/v1", apiKeyEnv: "USUAL_KEY" },
});
const env = { LEFT_KEY: "left-secret", USUAL_KEY: "usual-secret", MY_KEY: "my-secret" };

function plan(choice: Partial<TargetChoice>, lab = noConfig, environment: Readonly<Record<string, string>> = env) {
  return planTargets({ ...nothing, ...choice }, lab, environment);
}
function targets(choice: Partial<TargetChoice>, lab = noConfig) {
  const planned = plan(choice, lab);
  if (planned.kind !== "targets") throw new Error(`planned ${planned.kind}`);
  return planned.targets.map(({ name, model, server, kind, headers }) => ({
    name,
    model,
    url: server.shown,
    kind,
    headers,
  }));
}

describe("targets of the command line", () => {
  it("are one for each model on the server", () => {
    expect(targets({ baseUrl: "http://gpu:8000", models: ["a", "b", "a"], serverKind: "sglang" })).toEqual([
      { name: "a", model: "a", url: "http://gpu:8000/v1", kind: "sglang", headers: {} },
      { name: "b", model: "b", url: "http://gpu:8000/v1", kind: "sglang", headers: {} },
    ]);
  });

  it.each([
    ["x=qwen@http://gpu:8000/v1", "qwen", "http://gpu:8000/v1"],
    ["x=org/model@v2:7b@http://gpu:8000/v1", "org/model@v2:7b", "http://gpu:8000/v1"],
    ["x=qwen@http://me:pw@gpu:8000/v1", "qwen", "http://gpu:8000/v1"],
    ["x=a=b@http://gpu/v1", "a=b", "http://gpu/v1"],
  ])("are read from %s", (text, model, url) => {
    expect(targets({ targets: [text] })).toMatchObject([{ name: "x", model, url }]);
  });

  it("may be several servers at once", () => {
    const found = targets({
      targets: ["x=m@http://one/v1", "y=m@http://two/v1"],
      baseUrl: "http://three/v1",
      models: ["n"],
    });
    expect(found.map(({ name, url }) => `${name} ${url}`)).toEqual([
      "x http://one/v1",
      "y http://two/v1",
      "n http://three/v1",
    ]);
  });

  it("carry the key and the headers that were given, the header last", () => {
    const [target] = targets({ baseUrl: "http://gpu", models: ["m"], apiKeyEnv: "MY_KEY", headers: ["X-Trace: a: b"] });
    expect(target?.headers).toEqual({ authorization: "Bearer my-secret", "x-trace": "a: b" });
    const [other] = targets({
      baseUrl: "http://gpu",
      models: ["m"],
      apiKeyEnv: "MY_KEY",
      headers: ["Authorization: Token t"],
    });
    expect(other?.headers).toEqual({ authorization: "Token t" });
  });

  it("leave the models to the server where none is named", () => {
    expect(plan({ baseUrl: "http://gpu:8000" })).toMatchObject({
      kind: "ask-models",
      server: { server: { shown: "http://gpu:8000/v1" } },
    });
  });

  it.each([
    ["nothing at all", {}],
    ["a model without a server", { models: ["m"] }],
  ])("are missing with %s", (_name, choice) => {
    expect(plan(choice).kind).toBe("nothing-named");
  });

  it.each([
    [{ targets: ["x=m"] }, '--target: "x=m" is not NAME=MODEL@URL'],
    [{ targets: ["x=m@gpu:8000"] }, '--target x: "gpu:8000" has no scheme; write http://gpu:8000/v1'],
    [{ targets: ["x"] }, '--target: there is no target "x"; write NAME=MODEL@URL'],
    [{ targets: ["x=m@http://a", "x=m@http://b"] }, 'two targets are named "x"'],
    [{ targets: ["x=m@http://a"], baseUrl: "http://b" }, "--base-url beside --target needs --model"],
    [
      { baseUrl: "http://a", models: ["m"], apiKeyEnv: "NO_KEY" },
      "--api-key-env: the environment variable NO_KEY is not set",
    ],
    [{ baseUrl: "http://a", models: ["m"], headers: ["nonsense"] }, "--header: write 'Name: value'"],
    [{ baseUrl: "http://a", models: ["m"], headers: ["a b: c"] }, "--header: write 'Name: value'"],
    [{ baseUrl: "http://a", models: ["m"], headers: ["x: caf\u0001e"] }, '--header: the header "x" holds characters'],
    [
      { baseUrl: "http://a", models: ["m"], headers: ["Content-Length: 3"] },
      "the header content-length is set by the lab itself",
    ],
  ])("are refused: %j", (choice, message) => {
    expect(() => plan(choice)).toThrow(message);
  });
});

describe("targets of lab.yaml", () => {
  it("are all measured where the command line names none", () => {
    expect(targets({}, config)).toEqual([
      {
        name: "left",
        model: "qwen",
        url: "http://left:8000/v1",
        kind: "vllm",
        headers: { authorization: "Bearer left-secret" },
      },
      {
        name: "right",
        model: "llama",
        url: "http://right:11434/v1",
        kind: null,
        headers: { authorization: "Bearer usual-secret", "x-team": "lab" },
      },
    ]);
  });

  it("are chosen by name or by model", () => {
    expect(targets({ targets: ["right"] }, config).map(({ name }) => name)).toEqual(["right"]);
    expect(targets({ models: ["qwen"] }, config).map(({ name }) => name)).toEqual(["left"]);
  });

  it("give their default server to another model", () => {
    expect(targets({ models: ["new"] }, config)).toMatchObject([
      { name: "new", url: "http://usual:8000/v1", headers: { authorization: "Bearer usual-secret" } },
    ]);
  });

  it("give no key to a server that only the command line names", () => {
    expect(targets({ baseUrl: "http://elsewhere/v1", models: ["new"] }, config)[0]?.headers).toEqual({});
    expect(targets({ targets: ["x=m@http://elsewhere/v1"] }, config)[0]?.headers).toEqual({});
  });

  it("offer the nearest name for a wrong one", () => {
    expect(() => plan({ targets: ["rihgt"] }, config)).toThrow('there is no target "rihgt" (did you mean "right"?)');
  });
});
