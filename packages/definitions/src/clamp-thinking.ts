import { THINKING_LEVELS, type ThinkingLevel } from "@pi-subagents/core";

/**
 * The level that a model has and that is nearest to the wanted one: the strongest that is not stronger, or else the weakest
 * that there is. A model without any level gives `off`.
 */
export function clampThinking(
	level: ThinkingLevel,
	supportedLevels: readonly ThinkingLevel[],
): ThinkingLevel {
	const supported = THINKING_LEVELS.filter((candidate) => supportedLevels.includes(candidate));
	const wanted = THINKING_LEVELS.indexOf(level);
	const notStronger = supported.filter((candidate) => THINKING_LEVELS.indexOf(candidate) <= wanted);
	return notStronger.at(-1) ?? supported[0] ?? "off";
}
