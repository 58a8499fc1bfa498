// What the site has beyond docc's: the search, time-lines that can be played, and a word above wide tables. Loaded by each page; no server,
// no other address.
import { playOnThisPage } from "./play.js";
import { address, make, whenShown } from "./site.js";

const dialog = make("dialog", { class: "book-search", onclick: (event) => { if (event.target === dialog) { dialog.close(); } } });
let search;

/** What is looked for, without words that are on every page: pagefind finds pages that contain all words. */
function withoutCommonWords(text) {
    const common = /^(?:a|an|and|are|at|can|do|does|for|from|how|i|if|in|is|it|my|of|on|or|should|that|the|there|this|to|use|we|what|when|where|which|why|with|you)$/i;
    const words = text.replace(/[?!.,]+(?=\s|$)/g, "").split(/\s+/).filter((word) => !common.test(word));
    return words.length > 0 ? words.join(" ") : text;
}

/** The search of pagefind, which is loaded when somebody opens it. */
async function openSearch() {
    dialog.showModal();
    search ??= (async () => {
        dialog.append(make("link", { rel: "stylesheet", href: address("pagefind/pagefind-ui.css") }), make("div", { id: "pagefind" }));
        await import(address("pagefind/pagefind-ui.js"));
        new PagefindUI({
            element: "#pagefind", autofocus: true, showImages: false, showSubResults: true, resetStyles: false, bundlePath: address("pagefind/"),
            processTerm: withoutCommonWords,
            // Long pages are guides, which answer questions; a name in a title counts, and not more than they do.
            ranking: { pageLength: 0.03, metaWeights: { title: 0.3 } },
        });
    })();
    await search;
    dialog.querySelector("input").focus();
}

document.body.append(dialog, make("button", { class: "book-button", type: "button", title: "Search everything (Ctrl K)", onclick: openSearch }, "Search"));
document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        openSearch();
    }
});

/** Tables that are wider than the page say that they scroll. */
function markWideTables() {
    for (const table of document.querySelectorAll(".table-wrapper")) {
        const isWide = table.scrollWidth > table.clientWidth + 1;
        const hint = table.previousElementSibling?.classList.contains("book-wide") ? table.previousElementSibling : null;
        if (isWide && !hint) { table.before(make("p", { class: "book-wide" }, "More columns to the right: scroll the table sideways \u2192")); }
        if (!isWide && hint) { hint.remove(); }
    }
}

whenShown(() => {
    playOnThisPage();
    markWideTables();
});
