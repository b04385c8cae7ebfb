export { createTestRecord, type TestRecordOverrides } from "./create-test-record.js";
export { type FakeClock, fakeClock } from "./fake-clock.js";
export { type LeakCheck, type Leaks, leakCheck } from "./leak-check.js";
export {
	type EmittedEvent,
	type MockSession,
	type MockSessionCall,
	type MockSessionOptions,
	mockSession,
	type OptionalSessionMembers,
	type SessionListener,
	type SessionScript,
} from "./mock-session.js";
export {
	type ModelsJson,
	type ModelsJsonModel,
	type ModelsJsonProvider,
	modelsJson,
	type SettingsJson,
	settingsJson,
} from "./model-server/agent-dir.js";
export type { ChatMessage, ChatToolCall, ModelRequest } from "./model-server/request.js";
export {
	type ModelServer,
	type ModelServerOptions,
	startModelServer,
} from "./model-server/start-model-server.js";
export type {
	ModelStep,
	ScriptedError,
	ScriptedStep,
	ScriptedToolCall,
	ScriptedUsage,
} from "./model-server/step.js";
export {
	loadTrace,
	replayTrace,
	type Trace,
	type TraceHost,
	type TraceName,
	traceNames,
} from "./traces.js";
