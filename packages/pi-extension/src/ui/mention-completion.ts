import type { AutocompleteProviderFactory } from "@mariozechner/pi-coding-agent";
import { oneLine } from "../format.js";
import type { MentionName } from "../mentions.js";

/**
 * Completes the name of an agent at the beginning of the prompt, above what the host completes there itself, such as
 * files. Everywhere else it is the host's own completion, and what is chosen is put in by the host.
 */
export function mentionCompletion(
	names: () => readonly MentionName[],
): AutocompleteProviderFactory {
	return (current) => ({
		...current,
		async getSuggestions(lines, cursorLine, cursorCol, options) {
			const own = current.getSuggestions(lines, cursorLine, cursorCol, options);
			const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
			const [prefix, typed] = /^@([^\s@"]*)$/.exec(before) ?? [];
			if (cursorLine !== 0 || prefix === undefined || typed === undefined) return own;
			const items = names()
				.filter(({ name, about }) => matches(name, about, typed.toLowerCase()))
				.map(({ name, about }) => ({
					value: `@${name}`,
					label: name,
					description: oneLine(about, 80),
				}));
			const files = await own;
			if (items.length === 0) return files;
			return { prefix, items: [...items, ...(files?.prefix === prefix ? files.items : [])] };
		},
		applyCompletion: (...args) => current.applyCompletion(...args),
		...(current.shouldTriggerFileCompletion && {
			shouldTriggerFileCompletion: (...args) =>
				current.shouldTriggerFileCompletion?.(...args) ?? true,
		}),
	});
}

function matches(name: string, about: string, typed: string): boolean {
	return (
		name.toLowerCase().includes(typed) || (typed !== "" && about.toLowerCase().includes(typed))
	);
}
