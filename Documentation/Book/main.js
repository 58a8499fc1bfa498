// What the site has beyond docc's: loaded by each of its pages. Plain modules, no server, no network beyond the site's own files.
import { addBar } from "./bar.js";
import { showTables } from "./conformance.js";
import { playOnThisPage } from "./play.js";

addBar();
showTables();
playOnThisPage();
