import { join } from "node:path";

/** A folder of agent files. Only the files directly in it count: no folder below it is ever looked into. */
export interface DefinitionFolder {
	/** Whose files these are; decides about precedence. */
	readonly kind: "user" | "package" | "project";
	/** The absolute path. A folder that does not exist is empty. */
	readonly path: string;
}

/** The folders that the project and its user have, in rising precedence. Leave out the project's while it is not trusted. */
export function standardFolders(places: {
	/** The user's folder of the host, for example `~/.pi/agent`. */
	readonly agentDir: string;
	/** The project's directory. */
	readonly cwd: string;
}): readonly DefinitionFolder[] {
	return [
		{ kind: "user", path: join(places.agentDir, "agents") },
		{ kind: "project", path: join(places.cwd, ".agents", "agents") },
		{ kind: "project", path: join(places.cwd, ".pi", "agents") },
	];
}
