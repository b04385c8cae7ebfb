// Runs one row in a process of its own, so that no row finds code compiled or memory filled by another, and sends what it
// measured to the parent; without one, it prints that.
import { rows } from "./rows.js";

const name = process.argv[2] ?? "";
const load = rows.get(name);
if (load === undefined) throw new Error(`There is no row ${name}.`);
const measure = await load();
const results = await measure();
if (process.send) {
	process.send(results);
	process.disconnect();
} else {
	console.log(results);
}
