// Runs one row in a process of its own, so that no row finds code compiled or memory filled by another, and sends what it
// measured to the parent.
import { rows } from "./rows.js";

const name = process.argv[2] ?? "";
const load = rows.get(name);
if (load === undefined) throw new Error(`There is no row ${name}.`);
const measure = await load();
process.send?.(await measure());
process.disconnect();
