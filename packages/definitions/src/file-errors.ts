/** The code of an error of the file system. */
export function codeOf(error: unknown): string | undefined {
	return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
	["ENOENT", "it is a link that leads nowhere"],
	["ELOOP", "it is a link that leads in a circle"],
	["EACCES", "permission is denied"],
	["EPERM", "permission is denied"],
	["ENOTDIR", "it is not a folder"],
]);

/** Why a file or folder cannot be read, as a clause. */
export function reasonOf(error: unknown): string {
	return REASONS.get(codeOf(error)) ?? (error instanceof Error ? error.message : String(error));
}
