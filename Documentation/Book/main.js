// What the site has beyond docc's: the search, and time-lines that can be played. Loaded by each page; no server, no other address.
import { playOnThisPage } from "./play.js";
import { address, make } from "./site.js";

const dialog = make("dialog", { class: "book-search", onclick: (event) => { if (event.target === dialog) { dialog.close(); } } });
let search;

/** The search of pagefind, which is loaded when somebody opens it. */
async function openSearch() {
    dialog.showModal();
    search ??= (async () => {
        dialog.append(make("link", { rel: "stylesheet", href: address("pagefind/pagefind-ui.css") }), make("div", { id: "pagefind" }));
        await import(address("pagefind/pagefind-ui.js"));
        new PagefindUI({
            element: "#pagefind", autofocus: true, showImages: false, showSubResults: true, resetStyles: false, bundlePath: address("pagefind/"),
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
playOnThisPage();
