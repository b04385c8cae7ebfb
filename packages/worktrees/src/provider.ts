import { join } from "node:path";
import type { WorkspaceProvider, WorkspaceRequest } from "@pi-subagents/core";
import type { WorktreeBase } from "./base.js";
import { toCheckoutState } from "./checkout-watch.js";
import { defaultWorktreeDirectory, makeFolder } from "./directory.js";
import { discardUnused } from "./discard-unused.js";
import { explain, WorktreeError } from "./explain.js";
import { createGit, type Git } from "./git.js";
import { findIdentity, type Identity } from "./identity.js";
import { createLimiter } from "./limiter.js";
import { worktreeName } from "./names.js";
import {
	makeWorktree,
	type OpenedWorktree,
	type OpenRequest,
	refsToRead,
	reopenWorktree,
} from "./open-worktree.js";
import { isAlive, type ReadProcess, readProcess } from "./process-identity.js";
import { readRecord, recordFile, type WorktreeRecord } from "./record-file.js";
import { readRefs } from "./refs.js";
import { findRepository, type Repository } from "./repository.js";
import type { IgnoredFiles } from "./share-ignored.js";
import { readStatus } from "./status.js";
import { enterWorktree, type WorktreeWorkspace } from "./worktree-workspace.js";

/** Options of {@link worktreeProvider}. */
export interface WorktreeProviderOptions {
	/**
	 * Where the worktrees live, in a folder per repository; outside of every checkout.
	 * @defaultValue {@link defaultWorktreeDirectory}
	 */
	readonly directory?: string;
	/**
	 * What a new worktree begins with.
	 * @defaultValue `working-state`
	 */
	readonly base?: WorktreeBase | ((request: WorkspaceRequest) => WorktreeBase);
	/**
	 * Ignored files that are linked or copied from the checkout.
	 * @defaultValue none
	 */
	readonly ignoredFiles?: IgnoredFiles | ((request: WorkspaceRequest) => IgnoredFiles);
	/**
	 * Whether a worktree in which the agent made files that git ignores is kept. Otherwise the report names them.
	 * @defaultValue `false`
	 */
	readonly keepIgnored?: boolean;
	/**
	 * How many worktrees of one repository are made at the same time.
	 * @defaultValue 2
	 */
	readonly concurrency?: number;
	/** @defaultValue {@link createGit} with a helper process */
	readonly git?: Git;
	/** Milliseconds since the epoch. */
	readonly now?: () => number;
	/** @defaultValue asks the system */
	readonly readProcess?: ReadProcess;
}

/** Gives each run a git worktree of its own, on a branch of its own. */
export interface WorktreeProvider extends WorkspaceProvider {
	/**
	 * Rejects with a {@link WorktreeError} if the worktree cannot be made; then nothing of it is left, or the message
	 * says what. An agent that was here before gets its worktree back, or a new one on its branch.
	 */
	prepare(request: WorkspaceRequest): Promise<WorktreeWorkspace>;
}

/** Makes a provider. What it finds out about a directory or a repository once, it remembers. */
export function worktreeProvider(options: WorktreeProviderOptions = {}): WorktreeProvider {
	const git = options.git ?? createGit({ helperProcess: true });
	const read = options.readProcess ?? readProcess;
	const now = options.now ?? Date.now;
	const base = options.base ?? "working-state";
	const ignored = options.ignoredFiles ?? {};
	const directory = options.directory ?? defaultWorktreeDirectory();
	const limiter = createLimiter(options.concurrency ?? 2);
	const repositories = new Map<string, Promise<Repository>>();
	const identities = new Map<string, Promise<Identity>>();
	/** Directories that runs of this provider work in. */
	const active = new Set<string>();

	function repositoryOf(cwd: string): Promise<Repository> {
		// Without the caller's signal, because others may wait for the same answer.
		return once(repositories, cwd, () => findRepository(git, cwd));
	}

	function identityOf(repository: Repository): Promise<Identity> {
		const { checkout, commonDirectory } = repository;
		return once(identities, commonDirectory, () => findIdentity(git, checkout));
	}

	return {
		async prepare(request) {
			const repository = await repositoryOf(request.cwd);
			const folder = await makeFolder(directory, repository);
			const name = worktreeName(request.type, request.agentId);
			const place = join(folder, name);
			if (active.has(place)) {
				throw new WorktreeError(`The worktree of agent ${request.agentId} is in use already.`);
			}
			active.add(place);
			try {
				return await open(request, repository, name, place);
			} catch (error) {
				active.delete(place);
				throw error;
			}
		},
	};

	async function open(
		request: WorkspaceRequest,
		repository: Repository,
		name: string,
		place: string,
	): Promise<WorktreeWorkspace> {
		const { checkout } = repository;
		const { signal, previous } = request;
		const [status, references, earlier, started] = await Promise.all([
			readStatus(git, checkout, { signal }),
			readRefs(
				git,
				checkout,
				[...refsToRead(name), ...(previous?.branch ? [`refs/heads/${previous.branch}`] : [])],
				signal,
			),
			readRecord(recordFile({ directory: place })),
			read(process.pid),
		]);
		if (!status.status) {
			throw new WorktreeError(`Cannot read the state of ${checkout}: ${explain(status.result)}.`);
		}
		if (!references.result.ok) {
			const why = explain(references.result);
			throw new WorktreeError(`Cannot read the branches of ${checkout}: ${why}.`);
		}
		const openRequest: OpenRequest = {
			git,
			limiter,
			repository,
			status: status.status,
			refs: references.refs,
			name,
			directory: place,
			agent: {
				agentId: request.agentId,
				type: request.type,
				description: request.description,
			},
			base: typeof base === "function" ? base(request) : base,
			ignoredFiles: typeof ignored === "function" ? ignored(request) : ignored,
			identity: () => identityOf(repository),
			owner: { pid: process.pid, started: started ?? "" },
			now: now(),
			signal,
		};
		const before = await toCheckoutState(checkout, status.status);
		const opened = await reopenOrMake(openRequest, earlier ?? recall(openRequest, request));
		return enterWorktree({
			git,
			opened,
			before,
			prefix: repository.prefix,
			description: request.description,
			stashBefore: references.refs.get("refs/stash")?.commit ?? "",
			identity: () => identityOf(repository),
			keepIgnored: options.keepIgnored ?? false,
			onFinished: () => active.delete(place),
		});
	}

	async function reopenOrMake(
		request: OpenRequest,
		earlier: WorktreeRecord | undefined,
	): Promise<OpenedWorktree> {
		if (earlier === undefined) return makeWorktree(request);
		const { owner, stage } = earlier;
		if (owner && owner.pid !== process.pid && (await isAlive(owner, read))) {
			throw new WorktreeError(
				`The worktree at ${earlier.directory} is in use by the process ${owner.pid}.`,
			);
		}
		if (stage === "preparing") {
			const problems = await discardUnused(git, earlier);
			if (problems.length > 0) throw new WorktreeError(problems.join(" "));
			return makeWorktree(request);
		}
		const reopened = await reopenWorktree(request, earlier);
		if (reopened) return reopened;
		const made = await makeWorktree(request);
		const gone = `The branch ${earlier.branch} of the earlier run is not there any more.`;
		return { ...made, caveats: [gone, ...made.caveats] };
	}
}

/** What is known of an earlier run whose record is gone: its report. */
function recall(request: OpenRequest, { previous }: WorkspaceRequest): WorktreeRecord | undefined {
	const { repository, refs, agent, name, directory, now } = request;
	if (previous?.branch === undefined || previous.base === undefined) return undefined;
	if (!refs.has(`refs/heads/${previous.branch}`)) return undefined;
	return {
		version: 1,
		...agent,
		name,
		directory,
		branch: previous.branch,
		base: previous.base,
		baseName: previous.base.slice(0, 10),
		carried: true,
		checkout: repository.checkout,
		commonDirectory: repository.commonDirectory,
		shared: [],
		stage: "ended",
		createdAt: now,
	};
}

/** A failure is not remembered. */
function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
	const found = known.get(key) ?? find();
	known.set(key, found);
	found.catch(() => known.delete(key));
	return found;
}
