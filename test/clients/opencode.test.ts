import { describeAgent, useStand } from "./agent-scenarios.ts";
import { opencode } from "./opencode.ts";

describeAgent(opencode, useStand());
