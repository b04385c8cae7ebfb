import { resolve } from "node:path";

/** The folder of this package; this module is one level below it, in `src` and in `dist`. */
export const e2eFolder: string = resolve(import.meta.dirname, "..");

/** The root of the workspace. */
export const projectFolder: string = resolve(e2eFolder, "..");

/** The folder with the manifest and the lockfile of the current host. */
export const currentHostFolder: string = resolve(e2eFolder, "hosts", "current");
