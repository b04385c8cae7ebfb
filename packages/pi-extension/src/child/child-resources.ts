import { relative, resolve } from "node:path";
import {
	DefaultResourceLoader,
	type ExtensionAPI,
	type SettingsManager,
} from "@mariozechner/pi-coding-agent";
import type { SessionRequest } from "@pi-subagents/runner";
import type { EventBus } from "./child-events.js";
import { childGuard } from "./child-guard.js";
import { asChild } from "./child-marker.js";
import { childInstructions } from "./child-prompt.js";
import type { ChildContext } from "./child-session.js";
import { applyFlags } from "./flag-values.js";
import { matcher } from "./match-names.js";
import { withoutOriginal } from "./own-instructions.js";
import { parentExtensions } from "./parent-extensions.js";
import type { ToolRights } from "./tool-rights.js";

/** What a child's extensions, skills and prompt are made of. */
export interface ResourceRequest {
	readonly request: SessionRequest<ChildContext>;
	readonly rights: ToolRights;
	readonly delegate: ((pi: ExtensionAPI) => void) | undefined;
	readonly settingsManager: SettingsManager;
}

/** The resources, loaded. */
export interface ChildResources {
	readonly loader: DefaultResourceLoader;
	/** The bus that the child's extensions share. */
	readonly bus: EventBus | undefined;
	/** What is not as the definition says, one sentence each. */
	readonly problems: readonly string[];
	/** Extensions that could not be loaded. */
	readonly errors: readonly { readonly path: string; readonly error: string }[];
}

/** Loads what a child has from files: its extensions, its skills, the instructions for its directory. */
export async function loadChildResources({
	request: { context, cwd, workspace },
	rights,
	delegate,
	settingsManager,
}: ResourceRequest): Promise<ChildResources> {
	const { definition, parent } = context;
	const instructions = childInstructions(definition, workspace?.notes ?? []);
	const replace = definition.promptMode === "replace";
	const only = definition.isolated === true ? [] : definition.extensions;
	const { sharedTools } = parent;
	const excluded = [...context.excludedExtensions, ...(definition.excludeExtensions ?? [])];
	const chosen = await parentExtensions(
		{ cwd, agentDir: parent.agentDir, settingsManager },
		{ only, excluded: [...excluded, ...(sharedTools?.extensions ?? [])] },
	);
	const isExcluded = matcher(excluded);
	const isWanted = only === undefined ? () => true : matcher(only);
	const share = (name: string): boolean => isWanted(name) && !isExcluded(name);

	let bus: EventBus | undefined;
	const skills = definition.skills === undefined ? undefined : matcher(definition.skills);
	const missingSkills = new Set(definition.skills);
	const loader = new DefaultResourceLoader({
		cwd,
		agentDir: parent.agentDir,
		settingsManager,
		// Discovery would load this extension, too; the others are named one by one.
		noExtensions: true,
		additionalExtensionPaths: [...chosen.files],
		extensionFactories: [
			childGuard({
				agentName: definition.name,
				rights,
				workspace,
				parentCwd: context.cwd,
				delegate,
				sharedTools:
					sharedTools && only?.length !== 0 ? () => sharedTools.definitions(share) : undefined,
				onBus: (own) => {
					bus = own;
				},
			}),
		],
		noSkills: definition.skills?.length === 0,
		...(skills && {
			skillsOverride: (base) => {
				const kept = base.skills.filter(({ name }) => skills(name));
				for (const wanted of [...missingSkills]) {
					if (kept.some(({ name }) => matcher([wanted])(name))) missingSkills.delete(wanted);
				}
				return { ...base, skills: kept };
			},
		}),
		noPromptTemplates: true,
		noThemes: true,
		...(workspace && {
			agentsFilesOverride: ({ agentsFiles }) => ({
				agentsFiles: [
					...withoutOriginal(
						agentsFiles,
						workspace.root,
						resolve(context.cwd, relative(workspace.cwd, workspace.root)),
					),
				],
			}),
		}),
		...(replace && { systemPromptOverride: () => instructions }),
		appendSystemPromptOverride: (base) => (replace ? [] : [...base, instructions]),
	});
	await asChild(() => loader.reload());
	const loaded = loader.getExtensions();
	applyFlags(loaded);
	const missing = chosen.missing.filter(
		(name) => !(sharedTools?.extensions ?? []).some((shared) => matcher([name])(shared)),
	);
	return {
		loader,
		bus,
		problems: [
			...missing.map((name) => `the extension ${name} is not one of the session's`),
			...[...missingSkills].map((name) => `there is no skill ${name}`),
		],
		errors: loaded.errors,
	};
}
