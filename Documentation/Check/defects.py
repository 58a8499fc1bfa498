"""Defects of the site, each of which `Documentation/check --defects` makes once, and what is then to be said.

A defect is the part of the reading that has to notice it; the end of an address, a text in what the server answers there, and what stands in
its place; and words of the problem.
"""

DEFECTS = {
    "no start page": ("front", "/", "url=documentation/headgate/", "url=documentation/headgate/none/", "This does not become true"),
    "wide table": ("tables", "/book/book.css", "/* Tables: as wide", "main table { width: 2000px } .table-wrapper { overflow: visible !important } /*", "wide in a window"),
    "cut table": (
        "tables", "/book/book.css", "/* Tables: as wide",
        "main table { width: 2000px; table-layout: fixed } .table-wrapper { overflow: hidden !important } /*", "cuts off"),
    "console": ("chooser", "/book/main.js", "addBar();", "addBar(); console.error('a mistake');", "console: a mistake"),
    "exception": ("chooser", "/book/main.js", "addBar();", "addBar(); setTimeout(() => nothing.at.all);", "exception: ReferenceError"),
    "missing file": ("chooser", "/book/main.js", "addBar();", "addBar(); fetch('/book/none.json');", "404"),
    "network": ("chooser", "/book/main.js", "addBar();", "addBar(); fetch('http://127.0.0.1:9/').catch(() => {});", "request to http://127.0.0.1:9/"),
    "title": ("operator", "/book/main.js", "addBar();", "addBar(); setInterval(() => document.querySelector('.nav-title')?.replaceChildren('Documentation'), 20);", "is not titled Headgate"),
    "search of text": ("search", "/book/search.js", "const inText = entry.lowText.indexOf(word);", "const inText = -1;", "for list of closures"),
    "search of titles": ("search", "/book/search.js", "if (entry.name === word) { return 200 + weight; }", "if (entry.name === word) { return -900; }", "for flatMap"),
    "search by keys": ("search", "/book/search.js", "ArrowDown: 1", "ArrowDown: 0", "arrow keys"),
    "chooser": ("answer", "/book/choose.js", "addEventListener(\"hashchange\", show);", "", "This does not become true"),
    "chooser's picture": ("answer", "/book/choose.js", "images/headgate/", "images/none/", "This does not become true"),
    "navigator": ("operator", "/book/address.js", "history.replaceState", "void", "in the navigator"),
    "source line": ("source", ".swift.html", "<li id=\"L", "<li id=\"M", "This does not become true"),
    "source line below the bar": ("source", "/book/book.css", ".source li { scroll-margin-top: 60px; }", "", "shows the line at"),
    "versions": ("versions", "/book/bar.js", "changelog#${name", "changelog#none${name", "This does not become true"),
    "conformance as listings": ("conformance", "/book/conformance.js", "listing.classList.add(\"is-table\");", "listing.classList.add(\"is-table\", \"none\"); listing.style.cssText = \"display: block !important\";", "listings beside its tables"),
    "conformance without a sign": ("conformance", "/book/conformance.js", "Object.keys(kinds).flatMap", "Object.keys(kinds).slice(2).flatMap", "uses the signs"),
    "conformance too small": ("conformance", "/book/book.css", "border-radius: 3px; font: 12px/16px", "border-radius: 3px; font: 6px/16px", "letters of 6"),
    "conformance too wide": ("conformance", "/book/book.css", ".sign { display: inline-block; width: 14px", ".sign { display: inline-block; width: 34px", "at 1300"),
    "dark": ("chooser", "/book/book.css", "--book-ink: #f5f5f7; --book-faint: #a1a1a6; --book-ground: #000;", "--book-ink: #f5f5f7; --book-faint: #a1a1a6; --book-ground: #fff;", "equally bright"),
    "touch": ("played window", "/book/play.js", "{ passive: false }", "{ passive: true }", "by touch"),
    "mouse": ("played window", "/book/play.js", "addEventListener(\"pointermove\", follow);", "addEventListener(\"mousewheel\", follow);", "by mouse"),
    "keys": ("played window", "/book/play.js", "ArrowRight: 1", "ArrowRight: 2", "by keys"),
    "debounce": ("played debounce", "/book/models.js", "waiting = value; due = now + time; }", "waiting = value; due = now + time - 1; }", "instead of:"),
    "throttle": ("played throttle", "/book/models.js", "next = now + time; }", "next = now + time - 1; }", "instead of:"),
    "sample": ("played sample", "/book/models.js", "end() { hasEnded = true; if (waiting === null) { finish(); } },", "end() { finish(); },", "instead of:"),
    "batch": ("played batch", "/book/models.js", "if (values.length === 0) { due = now + time; }", "due = now + time;", "instead of:"),
    "window": ("played window", "/book/models.js", "if (!isOpen) { number += 1;", "if (!isOpen) { number += 2;", "instead of:"),
}
