import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type RegistryEntry, resolveModel } from "@pi-subagents/definitions";

/** Finds types whose own model is not there, before somebody starts one. */
export interface MissingModels {
	/** What was not said yet, one sentence for each type. */
	take(
		entries: readonly RegistryEntry[],
		ctx: Pick<ExtensionContext, "model" | "modelRegistry">,
	): readonly string[];
}

/** Nothing said yet. */
export function missingModels(): MissingModels {
	const said = new Set<string>();
	return {
		take(entries, ctx) {
			const pinned = entries.flatMap((entry) => {
				if (entry.state !== "enabled") return [];
				const { model = [], source } = entry.definition;
				const place = entry.overridden.model ?? source.file ?? `a ${source.kind} definition`;
				return model.length === 0 ? [] : [{ name: entry.name, model, place }];
			});
			if (pinned.length === 0) return [];
			const available = ctx.modelRegistry.getAvailable();
			const known = ctx.modelRegistry.getAll();
			const lines = pinned.flatMap(({ name, model, place }) => {
				const found = resolveModel(model, { available, known, parent: ctx.model });
				if (found.found) return [];
				return [
					`${place}: the agent ${name} can only be started with another model. ${found.message}`,
				];
			});
			const fresh = lines.filter((line) => !said.has(line));
			for (const line of fresh) said.add(line);
			return fresh.length === 0 ? [] : [...fresh, availableModels(available)];
		},
	};
}

/** How many models are named. */
const MOST_MODELS = 10;

/** The models that can be used, as a sentence. */
export function availableModels(
	models: readonly { readonly provider: string; readonly id: string }[],
): string {
	if (models.length === 0) return "No model is available.";
	const names = models.slice(0, MOST_MODELS).map(({ provider, id }) => `${provider}/${id}`);
	const more = models.length > MOST_MODELS ? ` and ${models.length - MOST_MODELS} more` : "";
	return `Available are ${names.join(", ")}${more}.`;
}
