import { describeAgent, useStand } from "./agent-scenarios.ts";
import { qwenCode } from "./qwen-code.ts";

describeAgent(qwenCode, useStand());
