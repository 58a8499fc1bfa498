// Where the site is, and the files that were made with it.
const base = new URL("..", import.meta.url);

/** The address of something on the site, as the pages say it: `/documentation/headgate`. */
export const address = (path) => new URL(path.replace(/^\//, ""), base).href;

const files = new Map();

/** One of the files that the generator has written, read once. */
export function read(name) {
    if (!files.has(name)) {
        files.set(name, fetch(address(`book/${name}.json`)).then((answer) => answer.json()));
    }
    return files.get(name);
}

/** An element with attributes and contents; `on…` attributes are listeners. */
export function make(tag, attributes = {}, ...contents) {
    return fill(document.createElement(tag), attributes, contents);
}

export function draw(tag, attributes = {}, ...contents) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, contents);
}

function fill(element, attributes, contents) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) {
            element.addEventListener(name.slice(2), value);
        } else if (value !== undefined && value !== false) {
            element.setAttribute(name, value);
        }
    }
    element.append(...contents.filter((part) => part !== undefined));
    return element;
}
