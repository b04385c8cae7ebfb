import type { Git } from "./git.js";

/** Environment of a command that commits: empty where the user's own identity is known. */
export type Identity = Readonly<Record<string, string>>;

const FALLBACK_NAME = "pi-subagents";
const FALLBACK_EMAIL = "pi-subagents@localhost";

/** The user's identity, and where git knows none, one that lets the commit go through. Never fails. */
export async function findIdentity(git: Git, cwd: string): Promise<Identity> {
	const result = await git(
		["config", "--null", "--get-regexp", "^(user|author|committer)\\.(name|email)$"],
		{ cwd },
	);
	const known = new Map(
		result.stdout
			.split("\0")
			.map((entry) => entry.split("\n", 2))
			.map(([key = "", value = ""]) => [key, value.trim()]),
	);
	const identity: Record<string, string> = {};
	for (const role of ["author", "committer"]) {
		const variable = `GIT_${role.toUpperCase()}`;
		if (!process.env[`${variable}_NAME`] && !known.get("user.name") && !known.get(`${role}.name`)) {
			identity[`${variable}_NAME`] = FALLBACK_NAME;
		}
		const email = known.get("user.email") || known.get(`${role}.email`) || process.env.EMAIL;
		if (!process.env[`${variable}_EMAIL`] && !email) identity[`${variable}_EMAIL`] = FALLBACK_EMAIL;
	}
	return identity;
}
