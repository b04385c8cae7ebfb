export { createTestRecord, type TestRecordOverrides } from "./create-test-record.js";
export { type FakeClock, fakeClock } from "./fake-clock.js";
export type { HostLine } from "./host-line.js";
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
export type { ModelServer, ModelServerOptions } from "./model-server/model-server.js";
export type { ChatMessage, ChatToolCall, ModelRequest } from "./model-server/request.js";
export { startModelServer } from "./model-server/start-model-server.js";
export type {
	ModelStep,
	ScriptedError,
	ScriptedStep,
	ScriptedToolCall,
	ScriptedUsage,
} from "./model-server/step.js";
export type { BatchResult, BatchTestHost } from "./test-host/batch-host.js";
export { createTestHost, type TestHostOptions } from "./test-host/create-test-host.js";
export type { Files, HostDirectories, HostFiles } from "./test-host/host-directories.js";
export type { HostCommand, HostExit } from "./test-host/host-process.js";
export type { RpcCommand, RpcResponse } from "./test-host/rpc-connection.js";
export type { DialogAnswer, PromptResult, RpcTestHost } from "./test-host/rpc-host.js";
export type { TerminalTestHost } from "./test-host/terminal-host.js";
export {
	loadTrace,
	replayTrace,
	type Trace,
	type TraceHost,
	type TraceName,
	traceNames,
} from "./traces.js";
