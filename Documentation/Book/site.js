const base = new URL("..", import.meta.url);

/** The address of something on the site. */
export const address = (path) => new URL(path, base).href;

/** An element with attributes and contents, or lists of these; `on…` attributes are listeners. */
export function make(tag, attributes, ...contents) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) {
            element.addEventListener(name.slice(2), value);
        } else if (value !== undefined) {
            element.setAttribute(name, value);
        }
    }
    element.append(...contents.flat());
    return element;
}

/** Looks at the page, now and whenever another page or width is shown. */
export function whenShown(look) {
    let isWaiting = false;
    const soon = () => {
        if (isWaiting) { return; }
        isWaiting = true;
        requestAnimationFrame(() => { isWaiting = false; look(); });
    };
    new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
    addEventListener("resize", soon);
    soon();
}
