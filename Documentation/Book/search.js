// Full-text search: goes through the text of every page, which the generator has written to `search.json`.
import { address, make, read } from "./site.js";

const most = 40;
let dialog, field, list, count;
let entries = [];

/** Opens the search, for words if there are any. */
export async function openSearch(words) {
    if (!dialog) { build(); }
    if (!dialog.open) { dialog.showModal(); }
    if (words) { field.value = words; }
    field.select();
    if (entries.length === 0) {
        count.textContent = "Loading …";
        entries = prepared(await read("search"));
    }
    show();
}

function build() {
    field = make("input", {
        type: "search", placeholder: "Search pages, operators, types", "aria-label": "Search", oninput: show, spellcheck: "false",
    });
    list = make("ol", {});
    count = make("p", { class: "count", "aria-live": "polite" });
    const close = make("button", { type: "button", onclick: () => dialog.close(), "aria-label": "Close" }, "Close");
    dialog = make("dialog", { class: "book-search", "aria-label": "Search", onclose: () => remember("") },
        make("form", { onsubmit: openFirst }, field, close), count, list);
    dialog.addEventListener("click", (event) => { if (event.target === dialog) { dialog.close(); } });
    dialog.addEventListener("keydown", move);
    document.body.append(dialog);
}

const plain = (text) => text.toLowerCase();

export function prepared(rows) {
    return rows.map(([title, kind, module, path, text]) => ({
        title, kind, module, path, text, lowTitle: plain(title), lowText: plain(text),
        name: plain(title.split("(")[0]),
        weight: weightOf(kind, path), depth: path.split("/").length,
    }));
}

/** What a reader looks for most often comes first: articles, operators, types, their members. */
function weightOf(kind, path) {
    if (/\/headgate\/publisher\/[^/]+$/.test(path)) { return 40; }
    if (/\/(results|conformance|changelog)(#|$)/.test(path)) { return 0; }
    if (kind === "Article") { return 30; }
    return /^(Structure|Class|Enumeration|Protocol|API Collection)/.test(kind) ? 20 : /^(Type Alias|Initializer)/.test(kind) ? -30 : 0;
}

/** The entries in which each word occurs, the best first. */
export function found(entries, question) {
    const words = plain(question).split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
    if (words.length === 0) { return []; }
    const results = [];
    for (const entry of entries) {
        let points = 0;
        for (const word of words) {
            const here = pointsOf(word, entry);
            if (here === null) { points = 0; break; }
            points += here;
        }
        if (points !== 0) { results.push({ entry, points: points - entry.depth }); }
    }
    // Of overloads, the one with the longest comment, to which the others refer.
    results.sort((one, other) => other.points - one.points || one.entry.title.length - other.entry.title.length
        || other.entry.text.length - one.entry.text.length);
    return results.map(({ entry }) => ({ ...entry, words }));
}

function pointsOf(word, entry) {
    const { weight } = entry;
    if (entry.name === word) { return 200 + weight; }
    const inTitle = entry.lowTitle.indexOf(word);
    if (inTitle === 0) { return 100 + weight; }
    if (inTitle > 0) { return (isWordAt(entry.title, inTitle) ? 80 : 40) + weight; }
    const inText = entry.lowText.indexOf(word);
    if (inText < 0) { return null; }
    return (isWordAt(entry.text, inText) ? 20 : 5) + weight;
}

/** Whether a word begins at a place, also one inside of a name: `Sorted` in `mergeSorted`. */
function isWordAt(text, place) {
    return place === 0 || !/[\p{L}\p{N}]/u.test(text[place - 1]) || /\p{Lu}/u.test(text[place]);
}

function show() {
    const results = found(entries, field.value);
    remember(field.value);
    list.replaceChildren(...results.slice(0, most).map(item));
    if (field.value.trim() === "") {
        count.textContent = `${entries.length} pages and sections`;
    } else {
        count.textContent = results.length === 0 ? "Nothing found. Fewer words, or the beginning of one, find more."
            : results.length > most ? `The best ${most} of ${results.length}` : `${results.length} found`;
    }
}

function item(result) {
    const place = [result.kind, result.module].filter(Boolean).join(" · ");
    return make("li", {}, make("a", { href: address(result.path) },
        make("strong", {}, ...marked(result.title, result.words)), make("small", {}, place),
        make("span", {}, ...marked(context(result), result.words))));
}

/** A line of the text around the first of the words. */
function context({ text, lowTitle, lowText, words }) {
    // Where the title has the words, the summary says more than what is around one of them.
    const missing = words.filter((word) => !lowTitle.includes(word));
    const places = missing.map((word) => lowText.indexOf(word)).filter((place) => place >= 0);
    const start = Math.max(0, (places.length > 0 ? Math.min(...places) : 0) - 50);
    const begin = start === 0 ? 0 : text.indexOf(" ", start) + 1;
    return (begin > 0 ? "… " : "") + text.slice(begin, begin + 150) + (begin + 150 < text.length ? " …" : "");
}

function marked(text, words) {
    const pattern = new RegExp(`(${words.join("|")})`, "giu");
    return text.split(pattern).map((part, index) => (index % 2 === 1 ? make("mark", {}, part) : part));
}

function openFirst(event) {
    event.preventDefault();
    list.querySelector("a")?.click();
}

/** The arrow keys go through the results. */
function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) { return; }
    event.preventDefault();
    const links = [...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? field : links[Math.min(next, links.length - 1)])?.focus();
}

/** What was looked for is in the address, so that who comes back finds it. */
function remember(words) {
    const here = new URL(location.href);
    if (words) { here.searchParams.set("search", words); } else { here.searchParams.delete("search"); }
    if (here.href !== location.href) { history.replaceState(history.state, "", here); }
}
