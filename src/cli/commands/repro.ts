import { resolve } from "node:path";
import { findRun } from "../../lab/capture/find-run.ts";
import { openRun } from "../../lab/capture/open-run.ts";
import { messagesFor } from "../../lab/report/messages/catalogue.ts";
import { visibleText } from "../../lab/report/terminal-text.ts";
import { type ReproducedRequest, type Reproduction, reproduce } from "../../lab/repro.ts";
import { readConfig } from "../config.ts";
import { exitCodes } from "../errors.ts";
import { type DisplayLanguage, displayLanguage, messagesIn } from "../messages.ts";
import { shellCommand } from "../shell-command.ts";
import type { Execute } from "./command.ts";
import type { reproOptions } from "./option-sets.ts";

/** `lab repro`: one sample as commands that anybody can run, with what was expected and what came back. */
export const repro: Execute<typeof reproOptions> = async (values, world, positionals) => {
  const config = readConfig(values.config, world);
  const results = resolve(world.cwd, values.results ?? config.defaults.out ?? "results");
  const stored = await openRun(await findRun(results, positionals["run"] ?? "latest"));
  const reproduction = await reproduce(stored, positionals["sample"] ?? "");
  const language = displayLanguage(values.lang ?? config.defaults.lang, world.env);
  world.stdout.write(
    values.json ? `${JSON.stringify(asJson(reproduction))}\n` : `${lines(reproduction, language).join("\n")}\n`,
  );
  return exitCodes.ok;
};

/** A script that a shell can run as it stands: everything but the commands is a comment. */
function lines(reproduction: Reproduction, language: DisplayLanguage): readonly string[] {
  const { words } = messagesIn(language).repro;
  const { id, target, requests, capture } = reproduction;
  const comment = (text: string): string => `# ${visibleText(text)}`;
  return [
    comment(id),
    comment(`${words.server}: ${[target.facts.kind, target.facts.version ?? ""].join(" ").trim()}, ${target.model}`),
    ...Object.entries(target.fingerprint.identity).map(([key, value]) =>
      comment(`${words.fingerprint}: ${key} ${typeof value === "string" ? value : JSON.stringify(value)}`),
    ),
    comment(`${words.expected}: ${expected(reproduction, language)}`),
    comment(`${words.judged}: ${judged(reproduction, language)}`),
    ...requests.flatMap((request, index) => [
      "",
      ...(requests.length > 1 ? [comment(`${words.request} ${index + 1}/${requests.length}`)] : []),
      ...curl(request),
      comment(`${words.seen}: HTTP ${request.status ?? "-"}`),
      ...request.seen.map(({ field, text }) => comment(`  ${field}: ${text}`)),
    ]),
    ...(capture.adapterTrace === undefined ? [] : ["", comment(words.adapter)]),
  ];
}

/** Keys that the run did not keep are to be put in by hand: they stand as a variable of the shell. */
function curl({ method, url, headers, body }: ReproducedRequest): readonly string[] {
  const kept = Object.entries(headers).filter(([name]) => name !== "accept");
  const options = kept.flatMap(([name, value]) =>
    value.includes("[redacted]")
      ? [`-H "${name}: ${value.replace("[redacted]", "$API_KEY")}"`]
      : [`-H ${shellCommand([`${name}: ${value}`])}`],
  );
  return [
    [`curl -sS -X ${method}`, ...options, "--data-binary @-", shellCommand([url]), "<<'REQUEST'"].join(" "),
    // A body is one line of JSON: no line of it can end the text.
    body.replaceAll("\n", " "),
    "REQUEST",
  ];
}

function expected({ capture }: Reproduction, language: DisplayLanguage): string {
  const { words } = messagesIn(language).repro;
  const { expectation } = capture;
  const { probe } = expectation;
  const parts = [
    expectation.contract === "marker"
      ? words.marker(expectation.markerRule?.name ?? "")
      : expectation.judge === "no_call"
        ? words.noCall
        : words.call(expectation.wanted),
    ...(probe === undefined || probe.answer.length === 0 ? [] : [words.answer(probe.answer.join(", "))]),
    ...(probe === undefined || probe.never.length === 0 ? [] : [words.never(probe.never.join(", "))]),
  ];
  return parts.join(language === "ja" ? "、" : ", ");
}

function judged({ judged: { headline, owner, probe, measured } }: Reproduction, language: DisplayLanguage): string {
  const messages = messagesFor(language);
  const faults =
    probe?.faults.map(({ code, text }) => `${messages.faults[code]}${text === "" ? "" : ` (${text})`}`) ?? [];
  const what = faults.length > 0 ? faults.join("; ") : messages.headlines[headline];
  return measured ? `${what} [${messages.owners[owner]}]` : what;
}

function asJson({ id, target, capture, judged: judgement, requests }: Reproduction) {
  return {
    id,
    target: target.name,
    model: target.model,
    fingerprint: target.fingerprint,
    expectation: capture.expectation,
    headline: judgement.headline,
    owner: judgement.owner,
    delivered: judgement.delivered,
    faults: judgement.probe?.faults ?? [],
    requests,
  };
}
