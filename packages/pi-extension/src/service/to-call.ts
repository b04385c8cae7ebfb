import { oneLine } from "../format.js";
import type { SubagentCall } from "../tools/subagent-tool.js";
import type { RunRequest, SpawnRequestOptions } from "./api.js";

/** Characters of a description that is made from a prompt. */
const DESCRIPTION_LENGTH = 60;

/** The request as a call of the model; what is absent stays absent, so that type and settings decide it. */
export function spawnCall(request: SpawnRequestOptions): SubagentCall {
	const {
		type,
		description = "",
		model,
		thinking,
		inheritContext,
		isolated,
		isolation,
		cwd,
	} = request;
	return {
		prompt: request.prompt,
		description: description.trim() || oneLine(request.prompt, DESCRIPTION_LENGTH),
		subagent_type: type,
		run_in_background: true,
		...turnsOf(request),
		...(model !== undefined && { model }),
		...(thinking !== undefined && { thinking }),
		...(inheritContext !== undefined && { inherit_context: inheritContext }),
		...(isolated !== undefined && { isolated }),
		...(isolation !== undefined && { isolation }),
		...(cwd !== undefined && { cwd }),
	};
}

/** A further task as a call of the model. */
export function resumeCall(id: string, type: string, request: RunRequest): SubagentCall {
	return {
		prompt: request.prompt,
		description: "",
		subagent_type: type,
		run_in_background: true,
		resume: id,
		...turnsOf(request),
	};
}

function turnsOf({ maxTurns }: RunRequest): { readonly max_turns?: number } {
	return maxTurns === undefined ? {} : { max_turns: maxTurns };
}
