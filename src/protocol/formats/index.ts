import { atem } from "./atem.ts";
import { bareJson, llama3Json, toolCallsJson, xlam } from "./bare-json.ts";
import { bracketArrow } from "./bracket-arrow.ts";
import { callingTool } from "./calling-tool.ts";
import { continueToolblock } from "./continue-toolblock.ts";
import { deepseekV3, deepseekV31 } from "./deepseek.ts";
import type { ToolCallFormat } from "./format.ts";
import { functionary31, functionary32 } from "./functionary.ts";
import { functionGemma, gemma4, gemma4BeginArg } from "./gemma.ts";
import { gigachat3 } from "./gigachat.ts";
import { glm45, glm47 } from "./glm.ts";
import { granite, phi4Mini } from "./granite.ts";
import { harmony } from "./harmony.ts";
import { ernie45, granite4, hermes } from "./hermes.ts";
import { hyV3 } from "./hy-v3.ts";
import { anthropicXml, deepseekDsml, dots, minicpm5, minimaxM2 } from "./invoke-tags.ts";
import { commandRPlus, jsonFence } from "./json-fence.ts";
import {
  apertus,
  cohereAction,
  granite20bFc,
  inkling,
  internlm,
  longcat,
  nemotronV2,
  toolsTag,
  toolTag,
} from "./json-tags.ts";
import { kimiK2 } from "./kimi-k2.ts";
import { kimiK3 } from "./kimi-k3.ts";
import { minimaxM3 } from "./minimax-m3.ts";
import { mistral, mistralV11 } from "./mistral.ts";
import { llama3Builtin, pythonTag } from "./python-tag.ts";
import { lfm2, llama4PythonTags, olmo3, pythonic, pythonicBare } from "./pythonic.ts";
import { qwenAgent } from "./qwen-agent.ts";
import { qwen3Coder, seedOss } from "./qwen3-coder.ts";
import { react, reactJson } from "./react.ts";
import { solarOpen } from "./solar-open.ts";
import { step3 } from "./step3.ts";
import { apriel, hunyuan, jamba, minimaxM1 } from "./tool-calls-section.ts";

/** Every text format the lab reads and writes. Where two share an opener and both could read, the earlier one wins. */
export const toolCallFormats: readonly ToolCallFormat[] = [
  hermes,
  qwen3Coder,
  glm45,
  glm47,
  granite,
  hyV3,
  granite4,
  ernie45,
  longcat,
  jamba,
  minimaxM1,
  hunyuan,
  apriel,
  seedOss,
  minimaxM2,
  minimaxM3,
  anthropicXml,
  deepseekDsml,
  atem,
  dots,
  step3,
  minicpm5,
  functionary31,
  functionary32,
  nemotronV2,
  apertus,
  cohereAction,
  commandRPlus,
  mistral,
  mistralV11,
  phi4Mini,
  internlm,
  granite20bFc,
  gigachat3,
  inkling,
  toolsTag,
  toolTag,
  deepseekV3,
  deepseekV31,
  kimiK2,
  kimiK3,
  solarOpen,
  harmony,
  functionGemma,
  gemma4,
  gemma4BeginArg,
  lfm2,
  llama4PythonTags,
  olmo3,
  pythonTag,
  llama3Builtin,
  bracketArrow,
  callingTool,
  continueToolblock,
  qwenAgent,
  react,
  llama3Json,
  bareJson,
  xlam,
  toolCallsJson,
  reactJson,
  jsonFence,
  pythonic,
  pythonicBare,
];

const byName: ReadonlyMap<string, ToolCallFormat> = new Map(toolCallFormats.map((format) => [format.name, format]));

/** The format of that name, or undefined. */
export function findFormat(name: string): ToolCallFormat | undefined {
  return byName.get(name);
}
