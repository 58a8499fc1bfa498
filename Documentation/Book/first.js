// An operator's time-line above its declaration, where a reader sees it without scrolling. docc shows the declaration first, whatever a page says.
import { make } from "./site.js";

/** Shows the time-line of this page, now and whenever another is shown in its place. */
export function showTimeLineFirst() {
    let isWaiting = false;
    const look = () => {
        isWaiting = false;
        const picture = document.querySelector("main .primary-content > .content:first-child > .inline-image-container:first-child picture");
        const source = picture?.querySelector("img")?.src;
        const top = document.querySelector("main .documentation-hero .abstract");
        const old = document.querySelector(".book-first");
        // A time-line that can be played is there instead.
        const isWanted = source && top && document.querySelector("main .declarations-container") && !document.querySelector(".book-play");
        if (old && (!isWanted || old.dataset.source !== source)) { old.remove(); }
        if (isWanted && !document.querySelector(".book-first")) {
            top.after(make("div", { class: "book-first", "data-source": source }, picture.cloneNode(true)));
        }
    };
    new MutationObserver(() => {
        if (!isWaiting) { isWaiting = true; requestAnimationFrame(look); }
    }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["src"] });
    look();
}
