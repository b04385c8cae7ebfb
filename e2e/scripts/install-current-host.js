import { installCurrentHost } from "../dist/index.js";

await installCurrentHost();
