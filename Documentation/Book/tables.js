// Tables that are wider than the page say that they scroll.
import { make } from "./site.js";

/** Marks the tables of this page. */
export function markWideTables() {
    for (const table of document.querySelectorAll(".table-wrapper")) {
        const isWide = table.scrollWidth > table.clientWidth + 1;
        const hint = table.previousElementSibling?.classList.contains("book-wide") ? table.previousElementSibling : null;
        if (isWide && !hint) { table.before(make("p", { class: "book-wide" }, "More columns to the right: scroll the table sideways \u2192")); }
        if (!isWide && hint) { hint.remove(); }
    }
}
