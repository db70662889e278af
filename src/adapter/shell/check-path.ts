import type { CommandRisk } from "./command-risk.ts";
import {
  credentialFiles,
  credentialFolders,
  credentialPlaces,
  openHiddenNames,
  openSystemFiles,
  sourceEndings,
} from "./credential-paths.ts";
import type { ShellWord } from "./read-command.ts";

/** What is known of where a command will run: an absolute path, or null when the client did not say. */
export interface Workplace {
  readonly directory: string | null;
}

/** A path without its `.` and `..`, as far as letters can tell; links are not known here. */
interface PlainPath {
  readonly root: "absolute" | "home" | "relative";
  /** Leading `..` that could not be resolved. */
  readonly above: number;
  readonly components: readonly string[];
}

/**
 * Whether a file or folder may be named to a reading command; null when it may. Credentials are looked for in the path as written,
 * with its `..` resolved, and below the working directory where that is known.
 */
export function checkPath(word: ShellWord, place: Workplace): CommandRisk | null {
  const written = components(word.text);
  const resolved = resolvePath(word, place).components;
  for (const path of [written, resolved]) {
    if (path.some(isCredentialFolder) || isCredentialPlace(path) || isCredentialFile(path.at(-1) ?? ""))
      return "credential";
  }
  if (written.some(isHidden)) return "hidden_files";
  if (isSystemPath(resolvePath(word, place))) return "special_file";
  return null;
}

/** Whether a path stays in the working directory. */
export function staysInside(word: ShellWord, place: Workplace): boolean {
  if (word.home) return false;
  if (!word.text.startsWith("/")) return resolve("relative", word.text).above === 0;
  if (place.directory === null) return false;
  const inside = resolve("absolute", place.directory).components;
  const target = resolve("absolute", word.text).components;
  return inside.length > 0 && inside.every((component, index) => component === target[index]);
}

function resolvePath(word: ShellWord, place: Workplace): PlainPath {
  if (word.home) return resolve("home", word.text.slice(1));
  if (word.text.startsWith("/")) return resolve("absolute", word.text);
  return place.directory === null
    ? resolve("relative", word.text)
    : resolve("absolute", `${place.directory}/${word.text}`);
}

function resolve(root: PlainPath["root"], text: string): PlainPath {
  const kept: string[] = [];
  let above = 0;
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0) kept.pop();
    else if (root !== "absolute") above += 1;
  }
  return { root, above, components: kept };
}

function components(text: string): readonly string[] {
  return text.split("/").filter((part) => part !== "" && part !== "." && part !== ".." && part !== "~");
}

/** File systems fold case, width and composition differently; the widest folding is compared. */
function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

const credentialFile = namesPattern(credentialFiles);
const credentialFolder = namesPattern(credentialFolders);
const openHidden = namesPattern(openHiddenNames);
const sourceFile = new RegExp(`[^.].*\\.(?:${sourceEndings.join("|")})$`, "u");

function isCredentialFile(component: string): boolean {
  const name = folded(component);
  return credentialFile.test(name) && !openHidden.test(name) && !sourceFile.test(name);
}

function isCredentialFolder(component: string): boolean {
  return credentialFolder.test(folded(component));
}

function isHidden(component: string): boolean {
  const name = folded(component);
  return name.startsWith(".") && !openHidden.test(name);
}

function isCredentialPlace(path: readonly string[]): boolean {
  const names = path.map(folded);
  return credentialPlaces.some((place) =>
    names.some((_, start) => place.every((component, index) => names[start + index] === component)),
  );
}

/** Devices block or act when read, and a process's files hold its environment and lead anywhere. */
function isSystemPath(path: PlainPath): boolean {
  // From an unknown folder, enough `..` reach the root.
  if (path.root === "relative" && path.above === 0) return false;
  const names = path.components.map(folded);
  const first = names[0];
  if (first === undefined || !["proc", "dev", "sys"].includes(first)) return false;
  return !openSystemFiles.includes(`/${names.join("/")}`);
}

/** One pattern of all names, which hold no regular-expression characters but `*` and `.`. */
function namesPattern(names: readonly string[]): RegExp {
  const alternatives = names.map((name) => name.replaceAll(/[.+]/g, "\\$&").replaceAll("*", ".*"));
  return new RegExp(`^(?:${alternatives.join("|")})$`, "u");
}
