export type { AgentFileResult } from "./agent-file-result.js";
export { agentNameKey, checkAgentName } from "./agent-name.js";
export { BUILTIN_DEFINITIONS } from "./builtin-definitions.js";
export { clampThinking } from "./clamp-thinking.js";
export { describeAgent } from "./describe-agent.js";
export { type Diagnostic, formatDiagnostic, type Severity } from "./diagnostic.js";
export { type AgentChanges, type EditResult, editAgentText } from "./edit-agent-text.js";
export {
	CALL_PARAMETERS,
	type CallParameter,
	type FieldName,
	type FieldValues,
	toFieldValues,
} from "./field-values.js";
export { FIELD_NAMES } from "./fields.js";
export { type DefinitionFolder, standardFolders } from "./folder.js";
export { formatAgentFile } from "./format-agent-file.js";
export type { RegistryEntry, RegistryFile } from "./index-definitions.js";
export { type LintedFile, type LintResult, lint } from "./lint.js";
export type { Lookup } from "./look-up.js";
export type { MatchableModel } from "./match-models.js";
export { nearestNames } from "./nearest-names.js";
export type { OverrideLayer } from "./overrides.js";
export { type AgentFileInput, readAgentFile } from "./read-agent-file.js";
export { DefinitionRegistry, type Registration, type RegistryOptions } from "./registry.js";
export {
	type Decision,
	type IgnoredParameter,
	type Invocation,
	type InvocationRequest,
	type InvocationResolution,
	limitsOf,
	resolveInvocation,
	type ValueSource,
} from "./resolve-invocation.js";
export {
	type ModelChoices,
	type ModelMatch,
	type ModelQuery,
	type ModelResolution,
	resolveModel,
	type SkippedModel,
} from "./resolve-model.js";
export { type ResolvedTools, resolveTools, type UnknownTool } from "./resolve-tools.js";
export type { RuntimeDefinition } from "./runtime-definition.js";
export { HOST_TOOLS } from "./tool-names.js";
export { createAgentFile, editAgentFile, type WriteResult } from "./write-agent-file.js";
