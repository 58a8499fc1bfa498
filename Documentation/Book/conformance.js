// On the page of conformance: tables in place of the listings that the verifier has printed.
import { address, make, read } from "./site.js";

/** What the signs mean, in the order of the legend. */
const kinds = { "+": ["held", "holds"], "#": ["broken", "is broken"], ".": ["not-applicable", "does not apply"], "?": ["not-checkable", "can't be checked"] };
const chapters = ["1-Life-cycle", "2-Demand", "3-Threads", "4-Re-entrancy", "5-Cancellation-and-release", "6-What-breaks-the-contract"];

/** Shows the tables, now and whenever another page is shown in the place of this. */
export function showTables() {
    let isWaiting = false;
    const look = async () => {
        isWaiting = false;
        if (!/\/headgate\/conformance\/?$/.test(location.pathname)) {
            document.querySelector(".conformance-legend")?.remove();
            return;
        }
        const rules = await read("rules");
        // docc fills listings some time after it has made them.
        const listings = [...document.querySelectorAll("main .code-listing:not(.is-table)")].filter((listing) => listing.querySelector(".code-line"));
        for (const listing of listings) {
            if (!document.querySelector(".conformance-legend")) { listing.before(legend()); }
            listing.classList.add("is-table");
            listing.after(table([...listing.querySelectorAll(".code-line")].map((line) => line.textContent), rules));
        }
    };
    new MutationObserver(() => {
        if (!isWaiting) { isWaiting = true; requestAnimationFrame(look); }
    }).observe(document.body, { childList: true, subtree: true });
    look();
}

const sign = (text) => make("span", { class: `sign ${kinds[text][0]}` }, text);

function legend() {
    return make("p", { class: "conformance-legend" }, ...Object.keys(kinds).flatMap((text) => [sign(text), ` ${kinds[text][1]} `]));
}

/** The table that a listing prints: its first row names the rules, and the columns of all rows are equal. */
function table(lines, rules) {
    const [first, ...rows] = lines.filter((line) => line.trim() !== "");
    const numbers = [...first.matchAll(/\b\d\.\d\b/g)].map((match) => ({ number: match[0], column: match.index + 1 }));
    const chapterOf = ({ number }) => number.split(".")[0];
    const begins = (index) => index === 0 || chapterOf(numbers[index]) !== chapterOf(numbers[index - 1]);
    const spans = [...new Set(numbers.map(chapterOf))].map((chapter) => make("th", {
        colspan: numbers.filter((number) => chapterOf(number) === chapter).length, scope: "colgroup", class: "begins",
    }, make("a", { href: address(`documentation/headgate/contract#${chapters[chapter - 1]}`) }, chapter)));
    const heads = numbers.map(({ number }, index) => make("th", {
        scope: "col", title: `${number} ${rules[number] ?? ""}`, class: begins(index) ? "begins" : undefined,
    }, make("span", { class: "chapter" }, `${chapterOf({ number })}.`), number.split(".")[1]));
    const body = rows.map((row) => make("tr", {},
        make("th", { scope: "row" }, row.slice(0, numbers[0].column - 1).trim()),
        ...numbers.map(({ number, column }, index) => make("td", {
            class: begins(index) ? "begins" : undefined, title: `${number} ${kinds[row[column]]?.[1] ?? ""}`,
        }, kinds[row[column]] ? sign(row[column]) : ""))));
    return make("div", { class: "conformance", tabindex: 0, role: "group", "aria-label": "A row for each subject, a column for each rule" },
        make("table", {},
            make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "corner" }, "rule"), ...spans), make("tr", {}, make("th", {}), ...heads)),
            make("tbody", {}, ...body)));
}
