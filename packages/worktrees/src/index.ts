export type { WorktreeBase } from "./base.js";
export type { Changes, Difference } from "./changes.js";
export {
	type CheckoutChange,
	type CheckoutState,
	compareCheckout,
	readCheckout,
} from "./checkout-watch.js";
export { type CommandContext, runCommand } from "./command.js";
export {
	type ConflictingEdit,
	type ConflictingEdits,
	conflictingEdits,
} from "./conflicting-edits.js";
export { diffWorktree, type WorktreeCall, type WorktreeDiff } from "./diff-worktree.js";
export { defaultWorktreeDirectory } from "./directory.js";
export { WorktreeError } from "./explain.js";
export { type CreateGitOptions, createGit, type Git, type GitCall, type GitResult } from "./git.js";
export {
	findLeftovers,
	type ListedWorktree,
	listWorktrees,
	type UnrecordedBranch,
	type WorktreeList,
	type WorktreeQuery,
	type WorktreeState,
} from "./list-worktrees.js";
export type { MergeMode, MergeOptions } from "./merge-plan.js";
export {
	type MergePreview,
	type MergeResult,
	mergeWorktree,
	previewMerge,
} from "./merge-worktree.js";
export { openCommand } from "./open-command.js";
export { type ProcessOwner, type ReadProcess, readProcess } from "./process-identity.js";
export {
	type WorktreeProvider,
	type WorktreeProviderOptions,
	worktreeProvider,
} from "./provider.js";
export type { WorktreeRecord } from "./record-file.js";
export { type RemoveResult, removeWorktree } from "./remove-worktree.js";
export type { WorktreeReport } from "./report.js";
export { type EndWorktreeOptions, saveWorktree } from "./save-worktree.js";
export type { IgnoredFiles } from "./share-ignored.js";
export type { WorktreeWorkspace } from "./worktree-workspace.js";
export {
	createWriteGuard,
	type WriteDecision,
	type WriteGuard,
	type WriteGuardOptions,
} from "./write-guard.js";
