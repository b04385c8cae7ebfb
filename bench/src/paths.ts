import { resolve } from "node:path";

/** The folder of this package; every program is one level below it, in `dist`. */
export const benchFolder: string = resolve(import.meta.dirname, "..");

/** The root of the workspace. */
export const projectFolder: string = resolve(benchFolder, "..");

/** The extension that hosts load in both sides of a row to tell what they measure inside. */
export const probeFile: string = resolve(benchFolder, "src", "probe.ts");
