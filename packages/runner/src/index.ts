export { AgentManager } from "./agent-manager.js";
export { type Clock, systemClock } from "./clock.js";
export type { ReachedLimit } from "./ending.js";
export { createInbox, type Delivery, type Inbox } from "./inbox.js";
export { checkLimits, DEFAULT_GRACE_TURNS } from "./limits.js";
export type { ManagerEvent } from "./manager-events.js";
export {
	type AgentManagerOptions,
	DEFAULT_MAX_CONCURRENT,
	type RestoreOptions,
	type ResumeAnswer,
	type ResumeRequest,
	type SessionRequest,
	type SpawnOptions,
	type SteerAnswer,
	type StopAnswer,
} from "./manager-options.js";
export { resumeAgent, runAgent } from "./run-agent.js";
export type { ResumeOptions, RunOptions, RunResult, SessionStart } from "./run-options.js";
export { type Silence, type SilenceStage, watchSilence } from "./silence.js";
