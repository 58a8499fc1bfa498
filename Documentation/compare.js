// Follows the models that play operators in a browser, and compares them with runs of the operators, which the generator has written.
import { readFileSync } from "node:fs";

const runs = JSON.parse(readFileSync(process.argv[1], "utf8"));
const wrong = runs.filter((input) => run(input.operator, input).join(" ") !== input.output.join(" "));
for (const input of wrong.slice(0, 10)) { console.log(JSON.stringify(input), JSON.stringify(run(input.operator, input))); }
console.log(`${runs.length} runs, ${wrong.length} of which the models play otherwise`);
process.exit(runs.length > 0 && wrong.length === 0 ? 0 : 1);
