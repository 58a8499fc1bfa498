// The search, the chooser and the versions, at the top of each page.
import { address, make, read } from "./site.js";
import { openSearch } from "./search.js";

export function addBar() {
    const versions = make("details", { class: "versions" });
    const bar = make("nav", { class: "book-bar", "aria-label": "Headgate" },
        make("button", { type: "button", onclick: () => openSearch(), title: "Search everything (Ctrl K)" },
            icon("M11 11l4 4M12.5 7a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z"), make("span", {}, "Search")),
        make("a", { href: address("choose/"), title: "Which operator do I need?" },
            icon("M5.5 5.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .8-1 1.7M8 12.4v.1M15 8A7 7 0 1 1 1 8a7 7 0 0 1 14 0z"),
            make("span", {}, "Which operator?")),
        versions);
    document.body.append(bar);
    read("versions").then(({ names, isReleased }) => showVersions(versions, names, isReleased));
    document.addEventListener("keydown", (event) => {
        if (event.key === "k" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            openSearch();
        }
    });
    document.addEventListener("click", (event) => {
        if (!versions.contains(event.target)) { versions.open = false; }
    });
    const wanted = new URLSearchParams(location.search).get("search");
    if (wanted) { openSearch(wanted); }
}

function showVersions(menu, names, isReleased) {
    const items = names.map((name, index) => make("li", {},
        make("a", { href: address(`documentation/headgate/changelog#${name.replaceAll(".", "")}`) },
            `Headgate ${name}`),
        index === 0 ? ` – these pages${isReleased ? "" : ", not yet released"}` : " – what was new"));
    menu.append(
        make("summary", { title: "The version that these pages describe" }, names[0]), make("ul", {}, ...items));
}

function icon(path) {
    const picture = make("span", { class: "icon", "aria-hidden": "true" });
    picture.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16"><path d="${path}"/></svg>`;
    return picture;
}
