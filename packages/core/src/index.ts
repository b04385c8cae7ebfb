export {
	type AgentDefinition,
	type DefinitionSource,
	type Isolation,
	type PromptMode,
	type RunLimits,
	THINKING_LEVELS,
	type ThinkingLevel,
} from "./agent-definition.js";
export {
	AgentRecord,
	type AgentRecordInit,
	type AgentRecordOptions,
	type AgentRecordSnapshot,
	IllegalTransitionError,
	type RunEnd,
} from "./agent-record.js";
export {
	type AgentOutcome,
	describeOutcome,
	isFailure,
	isPartial,
	type LimitReason,
	type OutcomeReason,
	type StopReason,
} from "./outcome.js";
export {
	type CompactionReason,
	type HostEvent,
	messageText,
	type ObservableSession,
	type SessionEvent,
	type SessionEvents,
	type SessionMessage,
	type SubagentSession,
	toSessionEvent,
	type WaitingReason,
} from "./session.js";
export {
	AGENT_STATUSES,
	type AgentStatus,
	canTransition,
	isTerminal,
	type TerminalStatus,
} from "./status.js";
export { addUsage, emptyUsage, type HostUsage, totalTokens, type Usage } from "./usage.js";
export type {
	Workspace,
	WorkspaceEnd,
	WorkspaceProvider,
	WorkspaceReport,
	WorkspaceRequest,
} from "./workspace.js";
