/** The tools of this extension; a child gets none of them unless its definition lets it delegate. */
export const OWN_TOOLS: ReadonlySet<string> = new Set([
	"subagent",
	"get_subagent_result",
	"steer_subagent",
	"stop_subagent",
]);
