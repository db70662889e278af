import { describe, expect, it } from "vitest";
import {
  type LibraryFacts,
  missingLibraries,
  stubSource,
  versionScript,
} from "../../../src/testbed/provision/cuda-stubs.ts";

const library = (path: string, facts: Partial<LibraryFacts>): LibraryFacts => ({
  path,
  needed: [],
  defined: [],
  undefined: new Map(),
  versionOwners: new Map(),
  ...facts,
});

describe("stubs for libraries that torch was linked against", () => {
  const [cublas, cudart] = missingLibraries([
    library("/t/libtorch_cuda.so", {
      needed: ["libcudart.so.13", "libcublas.so.13", "libc10.so", "libc.so.6"],
      undefined: new Map([
        ["cudaMalloc", "libcudart.so.13"],
        ["cudaGetErrorString", "libcudart.so.13"],
        ["cublasCreate_v2", "libcublas.so.13"],
        ["cuInit", ""],
        ["malloc", "GLIBC_2.2.5"],
        ["inside", ""],
      ]),
      versionOwners: new Map([
        ["libcudart.so.13", "libcudart.so.13"],
        ["libcublas.so.13", "libcublas.so.13"],
        ["GLIBC_2.2.5", "libc.so.6"],
      ]),
    }),
    library("/t/libc10.so", { defined: ["inside"] }),
  ]);

  it("are made for NVIDIA's that are not there, with the symbols that are asked for", () => {
    expect([cublas?.soname, cudart?.soname]).toEqual(["libcublas.so.13", "libcudart.so.13"]);
    expect([...(cudart?.symbols.keys() ?? [])]).toEqual(["cudaGetErrorString", "cudaMalloc"]);
    // A symbol without a version belongs to nobody: the first library defines it.
    expect([...(cublas?.symbols.keys() ?? [])]).toEqual(["cuInit", "cublasCreate_v2"]);
  });

  it("answer that there is no device, under the versions that are asked for", () => {
    if (cudart === undefined || cublas === undefined) throw new Error("no stubs");
    expect(stubSource(cudart)).toContain("long cudaMalloc(void) { return 100; }");
    expect(stubSource(cudart)).toContain('const char *cudaGetErrorString(void) { return "no CUDA');
    expect(versionScript(cudart)).toBe("libcudart.so.13 { global: cudaGetErrorString; cudaMalloc; };\n");
  });

  it("are not made for what is there", () => {
    const there = library("/t/libcudart.so.13", {});
    expect(missingLibraries([library("/t/a.so", { needed: ["libcudart.so.13"] }), there])).toEqual([]);
  });
});
