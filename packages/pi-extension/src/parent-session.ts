import {
	copyToClipboard,
	type ExtensionAPI,
	type ExtensionContext,
	getAgentDir,
} from "@mariozechner/pi-coding-agent";
import { AgentManager, type ManagerEvent, systemClock } from "@pi-subagents/runner";
import { createAgentActions } from "./agent-actions.js";
import { createAgentBook, readStoredAgents, type StoredAgent } from "./agent-book.js";
import { depthOf, stopWithParent } from "./agent-tree.js";
import { agentWorktrees } from "./agent-worktrees.js";
import type { SubagentsParts } from "./answers.js";
import { reportExtras } from "./answers.js";
import { createCatalog } from "./catalog.js";
import { createDialogTurns } from "./child/child-dialogs.js";
import { announceChildren } from "./child/child-events.js";
import type { ChildContext, ChildSurroundings } from "./child/child-session.js";
import { countExtraUsage } from "./child/extra-usage.js";
import { createProviderGate } from "./child/provider-gate.js";
import { openWaitingSession, type Waiting } from "./child/waiting-session.js";
import type { CommandContext } from "./commands/command-context.js";
import { openAgents } from "./commands/register-commands.js";
import { costReport, createLedger } from "./cost.js";
import { createDeliveries } from "./delivery/deliveries.js";
import { type Notification, renderNotification } from "./delivery/notification.js";
import { createStallWarnings } from "./delivery/stall-warnings.js";
import { plural } from "./format.js";
import { hostMode, isOneShot, isProjectTrusted } from "./host/host-mode.js";
import { packageAgentFolders } from "./host/package-agents.js";
import { watchParent } from "./host/parent-boundary.js";
import { addSessionUsage, takesUsage } from "./host/session-usage.js";
import { createSettingsReader } from "./host/settings-managers.js";
import { withLastRun } from "./interrupted-agent.js";
import { reportLeftovers } from "./leftovers.js";
import { emitLifecycle } from "./lifecycle-events.js";
import { type Mentionable, mentionNames, readMention } from "./mentions.js";
import { missingModels } from "./missing-models.js";
import { nestedDelegation } from "./nesting.js";
import { OWN_TOOLS } from "./own-tools.js";
import { createProjectGate } from "./project-gate.js";
import { MAIN_SCOPE } from "./scope.js";
import { createService } from "./service/create-service.js";
import { publishService } from "./service/publish.js";
import { createWorkspaceSwitch } from "./service/workspace-switch.js";
import { defaultSettings, loadSettings } from "./settings.js";
import { startableTypes } from "./startable-types.js";
import { createSubagents } from "./subagents.js";
import { registerTools } from "./tools/register-tools.js";
import { subagentTool } from "./tools/subagent-tool.js";
import { openTranscript, storedTranscript } from "./transcripts.js";
import { enforceSessionLimit } from "./tree-limit.js";
import { createActivityStore } from "./ui/activity-store.js";
import { createPresence } from "./ui/presence.js";
import { createUntold } from "./untold.js";
import { createWarnings } from "./warnings.js";

/** All that belongs to one session of the parent, from its start to its shutdown. */
export interface ParentSession {
	/** May be called twice: 0.73.1 does in RPC mode. */
	start(ctx: ExtensionContext): Promise<void>;
	/** Stops all agents, within a bound, and keeps what they had. */
	shutdown(reason: string): Promise<void>;
	commandContext(): CommandContext | undefined;
}

/** After these something of an agent has to outlive the process. */
const STORED_EVENTS: ReadonlySet<ManagerEvent["type"]> = new Set([
	// With its session an agent has a file, by which a later process finds what it did.
	"session_created",
	"run_ended",
	"workspace_saved",
]);

/** Puts the parts together and registers the tools. */
export function createParentSession(pi: ExtensionAPI): ParentSession {
	const clock = systemClock;
	let settings = defaultSettings();
	let current: ExtensionContext | undefined;

	const untold = createUntold();
	/** Tells the person, or where there is none, the model with the next result. */
	const problems = (lines: readonly string[]): void => {
		if (lines.length === 0 || current === undefined) return;
		if (current.hasUI) current.ui.notify(lines.join("\n"), "warning");
		else untold.add(lines);
	};
	const warnings = createWarnings();
	const surroundings: ChildSurroundings = {
		dialogTurns: createDialogTurns(),
		readSettings: createSettingsReader(),
		unstored: new Map(),
		delegation: (request) => nestedDelegation(request, parts),
		announce: {
			spawning: (event) => announcer.spawning(event),
			created: (event, own) => announcer.created(event, own),
			bound: (event, own) => announcer.bound(event, own),
		},
		depthOf: (record) => depthOf(manager, record),
		onProblem: (record, label, problem) => {
			const isNew = warnings.add(record, problem);
			// The result of the agent says it, too.
			if (isNew && current?.hasUI) problems([`In "${label}" ${problem}.`]);
		},
	};
	const workspaces = createWorkspaceSwitch(
		agentWorktrees({ settings: () => settings, onConflict: problems }),
	);
	const waiting: Waiting = {
		gate: createProviderGate(clock),
		clock,
		seconds: () => settings.rateLimitSeconds,
	};
	const manager = new AgentManager<ChildContext>({
		createSession: (request) => openWaitingSession(request, surroundings, waiting),
		workspaces,
		keepSessions: false,
		untimedTools: OWN_TOOLS,
		maxConcurrent: settings.maxConcurrent,
		clock,
		log: (message, error) => problems([`${message} ${error.message}`]),
	});
	const book = createAgentBook(
		(type, data) => pi.appendEntry(type, data),
		(id) => {
			const workspace = manager.getWorkspace(id);
			return { unreadMessages: manager.getUnreadMessages(id), ...(workspace && { workspace }) };
		},
	);
	const catalog = createCatalog();
	const gate = createProjectGate({
		agentDir: getAgentDir(),
		mode: () => settings.projectAgents,
		tell: problems,
		async onAnswer() {
			await readSettings("settings_changed");
			await refreshTypes();
		},
	});
	const activities = createActivityStore(manager, clock);

	const missing = missingModels();
	const ledger = createLedger(manager);

	/** A message carries no usage, so what it tells of is charged to the session itself, where the host can take it. */
	function charge(): void {
		if (current === undefined || !takesUsage(current)) return;
		for (const { record, usage } of ledger.take()) {
			addSessionUsage(current, book.get(record.id)?.launch.model ?? "", usage);
		}
	}

	function notify(records: Parameters<typeof renderNotification>[0]): Notification {
		charge();
		return renderNotification(records, clock.now(), (record) => reportExtras(parts, record));
	}

	const deliveries = createDeliveries({
		book,
		clock,
		agents: () => manager.listAgents(),
		isOver: ({ id }) => manager.isOver(id),
		isParentAtRest: () => boundary.isAtRest,
		send: (records) =>
			pi.sendMessage(notify(records), { triggerTurn: true, deliverAs: "followUp" }),
	});
	const stalls = createStallWarnings({
		manager,
		clock,
		seconds: () => settings.stallWarnSeconds,
		isParentAtRest: () => boundary.isAtRest,
		tellPerson: (line) => problems([line]),
		tellParent: (text) =>
			pi.sendMessage(
				{ customType: "subagent-warning", content: text, display: true },
				{ triggerTurn: true, deliverAs: "followUp" },
			),
	});
	const boundary = watchParent(pi, {
		isWaiting: () => deliveries.isWaiting,
		onRest() {
			deliveries.check();
			stalls.check();
		},
		takeDue() {
			const due = deliveries.take();
			return due.length === 0 ? undefined : notify(due);
		},
		drained: (signal) => drain(signal),
	});
	const parts: SubagentsParts = {
		manager,
		book,
		activities,
		catalog,
		boundary,
		surroundings,
		settings: () => settings,
		mainBus: () => pi.events,
		warnings,
		stalls,
		refreshTypes,
		untold,
		clock,
	};
	const subagents = createSubagents({ ...parts, pi, scope: MAIN_SCOPE, ledger });
	const { service, close: closeService } = createService({
		manager,
		catalog,
		delegation: subagents,
		workspaces,
		context: () => current,
		refreshTypes,
	});
	let unpublish = (): void => {};
	const actions = createAgentActions(manager, subagents);
	const presence = createPresence({
		pi,
		manager,
		activities,
		clock,
		settings: () => settings,
		mentionNames: () => mentionNames(mentionable()),
		openAgents: (ctx) => openAgents(ctx, commandContext()),
	});

	function mentionable(): Mentionable {
		return { agents: manager.listAgents(), types: startableTypes(catalog, MAIN_SCOPE) };
	}

	// A text for an agent does not go to the model; what came of it is said to the person.
	pi.on("input", async ({ text, source }, ctx) => {
		if (source === "extension" || !ctx.hasUI) return { action: "continue" };
		const mention = readMention(text, mentionable());
		if (mention === undefined) return { action: "continue" };
		const said =
			mention.kind === "agent"
				? await actions.send(mention.record, mention.text, ctx)
				: await actions.start(mention.type, mention.text, ctx);
		ctx.ui.notify(said.text, said.failed ? "error" : "info");
		return { action: "handled" };
	});

	manager.subscribe((event) => {
		if (STORED_EVENTS.has(event.type)) book.store(event.record);
		if (event.type === "run_ended") deliveries.check();
		if (event.type === "session_created") countExtraUsage(event.session, event.record);
	});
	emitLifecycle(manager, pi.events);
	stopWithParent(manager);
	enforceSessionLimit(manager, () => settings);
	const announcer = announceChildren(manager, () => pi.events);
	registerTools(pi, subagents, catalog.advertised());

	pi.on("agent_end", (event) => {
		const last = event.messages.at(-1);
		const interrupted = last?.role === "assistant" && last.stopReason === "aborted";
		if (interrupted && settings.interruptBackground) manager.abortAll("turn_interrupted");
	});

	/** Tells the model of other types, if there are, and the person of what is wrong with agent files. */
	async function refreshTypes(): Promise<void> {
		if (await catalog.refresh()) pi.registerTool(subagentTool(subagents, catalog.advertised()));
		problems(catalog.takeProblems());
		gate.review(catalog.withheld);
	}

	// What changed meanwhile is known before the model is asked, not only after its first call.
	pi.on("before_agent_start", async (_, ctx) => {
		await refreshTypes();
		problems(missing.take(catalog.entries, ctx));
	});

	/** Waits for the background agents of a one-shot run, within the time that is set. */
	async function drain(signal: AbortSignal | undefined): Promise<void> {
		const over = new AbortController();
		const cancel = clock.setTimeout(() => over.abort(), settings.drainSeconds * 1000);
		signal?.addEventListener("abort", () => over.abort(), { once: true });
		try {
			while (deliveries.isWaiting && !over.signal.aborted && !signal?.aborted) {
				const alive = manager.listAgents().filter(({ id }) => !manager.isOver(id));
				await Promise.all(alive.map((record) => manager.wait(record.id, over.signal)));
			}
		} catch {
			// The time is over, or the run was interrupted; what still runs is stopped and reported at the shutdown.
		} finally {
			cancel();
		}
	}

	async function readSettings(event: "settings_loaded" | "settings_changed"): Promise<void> {
		if (current === undefined) return;
		const loaded = await loadSettings(getAgentDir(), gate.settings());
		settings = loaded.settings;
		manager.setMaxConcurrent(settings.maxConcurrent);
		catalog.configure(settings);
		presence.refresh();
		pi.events.emit(`subagents:${event}`, { settings });
		problems(loaded.problems);
	}

	/** Takes in an agent of an earlier process, or of this one before a reload; one that was running is interrupted. */
	async function restore(entry: StoredAgent): Promise<void> {
		const stored = await withLastRun(entry);
		const { record, launch, unreadMessages, workspace } = stored;
		if (manager.getRecord(record.id) !== undefined) return;
		const restored = manager.restore(record, {
			...launch,
			unreadMessages,
			...(workspace && { workspace }),
		});
		book.restore(stored);
		ledger.settle(restored);
	}

	function commandContext(): CommandContext | undefined {
		if (current === undefined) return undefined;
		return {
			manager,
			actions,
			now: () => clock.now(),
			costs: () => costReport(manager, (record) => book.get(record.id)?.launch.model),
			fleet: (ctx) => ({
				agents: () => manager.listAgents(),
				activity: (id) => activities.get(id),
				openTranscript: (record) => openTranscript(manager.getSession(record.id)),
				storedTranscript: (record) =>
					storedTranscript(record, surroundings.unstored.get(record.id)),
				now: () => clock.now(),
				subscribe: (listener) => activities.subscribe(listener),
				send: async (record, text) => (await actions.send(record, text, ctx)).text,
				stop: (record) => actions.stop(record).text,
				stopAll: () => actions.stopAll().text,
				copy: copyToClipboard,
			}),
			hideWidget: presence.hideWidget,
			subagents,
			catalog,
			settings: () => settings,
			reloadSettings: () => readSettings("settings_changed"),
			refreshTypes,
			askAboutProject: () => gate.ask(catalog.withheld),
		};
	}

	return {
		async start(ctx) {
			current = ctx;
			const agentDir = getAgentDir();
			const { cwd } = ctx;
			await gate.open(ctx);
			await readSettings("settings_loaded");
			const projectTrusted = isProjectTrusted(ctx);
			catalog.open({
				agentDir,
				cwd,
				packages: await packageAgentFolders({ agentDir, cwd, projectTrusted }),
				accept: gate.accepts,
				whyWithheld: gate.reason,
			});
			await refreshTypes();
			for (const stored of readStoredAgents(ctx.sessionManager.getEntries())) await restore(stored);
			void reportLeftovers(ctx.cwd).then((lines) => problems(lines));
			presence.start(ctx);
			unpublish();
			unpublish = publishService(service);
			pi.events.emit("subagents:ready", { version: service.version });
		},
		async shutdown(reason) {
			unpublish();
			const alive = manager.listAgents().filter((record) => !record.isTerminal);
			if (alive.length > 0 && current?.hasUI && reason !== "quit") {
				const names = alive.map((record) => record.id).join(", ");
				current.ui.notify(
					`${plural(alive.length, "agent")} stopped (${names}); they can be resumed in this session.`,
					"warning",
				);
			}
			surroundings.dialogTurns.close();
			gate.close();
			deliveries.stop();
			stalls.stop();
			boundary.stop();
			presence.stop();
			await manager.dispose();
			closeService();
			activities.stop();
			if (current && isOneShot(hostMode(current)) && alive.length > 0) {
				const lines = alive.map((record) => `${record.id}: ${record.status}`);
				process.stderr.write(`Background agents were stopped at exit: ${lines.join(", ")}\n`);
			}
			current = undefined;
		},
		commandContext,
	};
}
