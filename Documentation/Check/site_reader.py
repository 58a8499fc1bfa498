"""What a reader does with the site, in a browser: at three widths, light and dark, with the mouse, by touch and with the keyboard."""

import os, urllib.parse

from browser import Failure

WIDTHS = [(390, 844), (800, 1000), (1300, 1000)]
SYMBOLS = "/documentation/headgate"

# What sticks out of the page to the right, and can't be scrolled to: the names of the first few.
CUT_OFF = """(() => {
    const width = document.documentElement.clientWidth;
    const isReached = (element) => {
        for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
            const style = getComputedStyle(parent);
            if (/auto|scroll/.test(style.overflowX) && parent.getBoundingClientRect().right <= width + 1) { return true; }
            // What is hidden on purpose for the eye, and titles that end in an ellipsis.
            if (style.clipPath !== "none" || style.textOverflow === "ellipsis") { return true; }
        }
        return getComputedStyle(element).clipPath !== "none" || getComputedStyle(element).textOverflow === "ellipsis";
    };
    const holdsText = (element) => element.tagName === "IMG"
        || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    const found = [];
    for (const element of document.querySelectorAll("main *, dialog[open] *, .book-bar *, ol *")) {
        if (!holdsText(element)) { continue; }
        const box = element.getBoundingClientRect();
        if (box.width > 0 && box.height > 0 && box.right > width + 1 && getComputedStyle(element).visibility !== "hidden" && !isReached(element)) {
            found.push(`${element.tagName.toLowerCase()} "${element.textContent.trim().slice(0, 40)}" ends at ${Math.round(box.right)}`);
        }
        if (found.length === 3) { break; }
    }
    return found;
})()"""


class Reader:
    """Looks at pages, and collects what is wrong with them."""

    def __init__(self, browser, address, screenshots, only=None):
        self.browser, self.address, self.screenshots, self.only = browser, address, screenshots, only
        self.problems, self.taken, self.name = [], 0, ""

    def look(self, name, page, ready, act=None, moves=True):
        """Opens a page, does something there, and looks at it in all widths and colours."""
        def all_widths():
            self.browser.resize(*WIDTHS[-1])
            self.open(page, ready)
            if act:
                act(self)
            if moves:
                self.widths(name)
        self.step(name, all_widths)

    def step(self, name, action):
        """Does something, and notes what fails and what the browser complains about."""
        if self.only and self.only != name:
            return
        self.name = name
        try:
            action()
        except Failure as failure:
            self.problems.append(f"{name}: {failure}")
        self.problems += [f"{name}: {problem}" for problem in self.browser.problems(self.address)]

    def open(self, page, ready="document.querySelector('main h1')"):
        self.browser.open(self.address + urllib.parse.quote(page, safe="/?=#"), ready)

    def widths(self, name):
        for width, height in WIDTHS:
            self.browser.resize(width, height, is_touched=width == 390)
            wide, cut = self.browser.evaluate(f"[document.documentElement.scrollWidth, {CUT_OFF}]")
            self.expect(wide <= width, f"is {wide} wide in a window of {width}")
            self.expect(not cut, f"cuts off at {width}: {'; '.join(cut)}")
            grounds = set()
            for scheme in ("light", "dark"):
                self.browser.paint(scheme)
                grounds.add(self.browser.evaluate("getComputedStyle(document.querySelector('dialog[open]') ?? document.body).backgroundColor"))
                self.browser.screenshot(os.path.join(self.screenshots, f"{name}-{width}-{scheme}.png"))
                self.taken += 1
            self.expect(len(grounds) == 2, f"is equally bright in the dark at {width}")
        self.browser.paint("light")
        self.browser.resize(*WIDTHS[-1])

    def expect(self, is_so, otherwise):
        if not is_so:
            self.problems.append(f"{self.name}: {otherwise}")

    def text(self, element):
        return self.browser.evaluate(f"({element})?.innerText ?? ''").strip()


def search(reader):
    """Words of titles and of texts, with the keyboard."""
    browser = reader.browser
    browser.press("k", 75, control=True)
    browser.wait("document.querySelector('dialog.book-search[open]')")
    results = "[...document.querySelectorAll('.book-search li a')]"
    for words, target in [
        ("backpressure", SYMBOLS + "/backpressure"),
        # Of the text of a page, and in no title.
        ("list of closures in place of a subject", SYMBOLS + "/charts"),
        ("flatMap", SYMBOLS + "/publisher/flatmap("),
    ]:
        browser.evaluate("(() => { const field = document.querySelector('.book-search input'); field.focus(); field.select(); })()")
        browser.type(words)
        paths = f"{results}.slice(0, 5).map((link) => decodeURIComponent(new URL(link.href).pathname))"
        try:
            browser.wait(f"{paths}.some((path) => path.startsWith({target!r}))", seconds=5)
        except Failure:
            reader.expect(False, f"says \"{reader.text('document.querySelector(`.book-search .count`)')}\", {browser.evaluate(paths)} for {words}")
    browser.press("ArrowDown", 40)
    reader.expect(browser.evaluate(f"document.activeElement === {results}[0]"), "does not go to the results with the arrow keys")


def follow_search(reader):
    reader.open(SYMBOLS + "/?search=onBackpressureDrop")
    reader.browser.wait("document.querySelector('.book-search li a')")
    reader.browser.click("document.querySelector('.book-search li a')")
    reader.browser.wait("/onBackpressureDrop/i.test(document.querySelector('main h1')?.innerText)")


def choose(reader):
    """From the first question to an operator, its picture and its page."""
    browser = reader.browser
    for question, answer in [
        ("What do you want to do?", "delay a stream"), ("What should happen later?", "a value only after a pause"),
    ]:
        browser.wait(f"document.querySelector('#chooser h2')?.innerText === {question!r}")
        browser.click(f"[...document.querySelectorAll('.answers a')].find((link) => link.innerText.toLowerCase().startsWith({answer!r}))")
    browser.wait("document.querySelector('.answer h2')?.innerText === 'debounce'")
    browser.wait("document.querySelector('.answer img')?.naturalWidth > 100")
    reader.expect("import Headgate" in reader.text("document.querySelector('.answer .import')"), "does not say what to import")


def follow_answer(reader):
    reader.open("/choose/#8.4", "document.querySelector('.answer .more') && document.querySelector('.answer img').complete")
    reader.browser.click("document.querySelector('.answer .more')")
    reader.browser.wait("document.querySelector('main h1')?.innerText.startsWith('debounce')")


def operator(reader):
    """The page says what to import, and the navigator shows where it is."""
    browser = reader.browser
    active = "document.querySelector('.navigator .navigator-card-item.active')"
    try:
        browser.wait(active + "?.innerText.includes('debounce')")
    except Failure:
        reader.expect(False, f"is \"{reader.text(active)}\" in the navigator")
    reader.expect("import Headgate" in reader.text("document.querySelector('main')"), "does not say what to import")
    reader.expect(reader.text("document.querySelector('.nav-title')") == "Headgate", "is not titled Headgate")
    browser.wait("document.querySelector('main .inline-image-container img')?.naturalWidth > 100")


def source(reader):
    """The link of an operator's page leads to its line."""
    browser = reader.browser
    link = "[...document.querySelectorAll('main a')].find((link) => /Debounce\\.swift$/.test(link.innerText))"
    # It opens another window, which is none of this browser's.
    browser.evaluate(link + ".target = '_self'")
    browser.click(link)
    browser.wait("location.pathname.endsWith('/Debounce.swift.html') && document.querySelector('li:target')")
    line = reader.text("document.querySelector('li:target')")
    reader.expect("func debounce" in line, f"leads to the line \"{line}\"")
    top = browser.evaluate("document.querySelector('li:target').getBoundingClientRect().top")
    reader.expect(52 <= top < 1000, f"shows the line at {top}, below the bar or outside of the window")


def versions(reader):
    browser = reader.browser
    browser.wait("document.querySelectorAll('.versions li a').length > 1")
    names = browser.evaluate("[...document.querySelectorAll('.versions li a')].map((link) => link.innerText)")
    # Those of a closed menu have no text.
    browser.click("document.querySelector('.versions summary')")
    names = browser.evaluate("[...document.querySelectorAll('.versions li a')].map((link) => link.innerText)")
    reader.expect(all(name.startswith("Headgate ") for name in names) and names, f"lists {names}")
    for link in browser.evaluate("[...document.querySelectorAll('.versions li a')].map((link) => link.hash.slice(1))"):
        reader.open(f"{SYMBOLS}/changelog/#{link}")
        reader.browser.wait(f"document.getElementById({link!r})")
    browser.wait("document.querySelectorAll('.versions li a').length > 1")
    browser.click("document.querySelector('.versions summary')")
    reader.expect(browser.evaluate("document.querySelector('.versions').open"), "does not open")


def conformance(reader):
    """Every row of the verifier's table, with the signs of the legend and the listing out of sight."""
    browser = reader.browser
    rows, signs, listings, heads = browser.evaluate(
        """[document.querySelectorAll(".conformance tbody tr").length,
            [...new Set([...document.querySelectorAll(".conformance .sign")].map((sign) => sign.className + sign.innerText))],
            [...document.querySelectorAll("main .code-listing")].filter((listing) => listing.getBoundingClientRect().height > 0).length,
            [...document.querySelectorAll(".conformance thead tr:last-child th[title]")].every((head) => /^\\d\\.\\d .{10}/.test(head.title))]""")
    known = browser.evaluate("[...document.querySelectorAll('.conformance-legend .sign')].map((sign) => sign.className + sign.innerText)")
    with open("Tests/HeadgateConformance/expected/table.txt", encoding="utf-8") as file:
        expected = sum(1 for line in file if line.rstrip().endswith((" +", " .", " ?", " #")))
    reader.expect(rows == expected, f"has {rows} rows instead of {expected}")
    reader.expect(set(signs) <= set(known), f"uses the signs {signs}, and explains {known}")
    reader.expect(listings == 0, f"shows {listings} listings beside its tables")
    reader.expect(heads, "does not say what the rules are")
    # Whole where there is room, and with a bar where there is none.
    for width, height in WIDTHS:
        browser.resize(width, height)
        inside, seen = browser.evaluate("(() => { const table = document.querySelector('.conformance'); return [table.scrollWidth, table.clientWidth]; })()")
        reader.expect((inside > seen) == (width == 390) or width == 800, f"is {inside} wide in a place of {seen} at {width}")
        size = browser.evaluate("Math.min(...[...document.querySelectorAll('.conformance th, .conformance .sign')].slice(0, 300).map((cell) => parseFloat(getComputedStyle(cell).fontSize)))")
        reader.expect(size >= 11, f"has letters of {size} points")


# Where a mark is moved, by columns of 15 units, and what then comes out, worked out by hand from the operators' documentation.
PLAYED = [
    # Values 1 to 5 at 2, 5, 8, 19, 22, and the end at 34; a pause is 6 s. The fourth moves to 30 and is published with the end.
    ("debounce", "/publisher/debounce(for:scheduler:options:)", "value 4", 11,
     "Publishes 3 at 14 s, 5 at 28 s, 4 at 34 s, the completion at 34 s."),
    # At 2, 4, 6, 16, 18. The second moves to 9: published is 1, then at the end of each 6 s the most recent.
    ("throttle", "/publisher/throttle(for:scheduler:latest:)", "value 2", 5,
     "Publishes 1 at 2 s, 3 at 8 s, 2 at 14 s, 5 at 20 s, the completion at 34 s."),
    # Values at 2, 6, 9, 20, 31, triggers at 4, 13, 18, 25, 35. The third value moves after the trigger at 13, to 15.
    ("sample", "/publisher/sample(on:)", "value 3", 6,
     "Publishes 1 at 4 s, 2 at 13 s, 3 at 18 s, 4 at 25 s, 5 at 35 s, the completion at 35 s."),
    # At 2, 4, 6, 17, 29, by threes within 8 s. The third moves to 12: the first two are published 8 s after the first.
    ("batch", "/publisher/batch(count:weight:within:scheduler:)", "value 3", 6,
     "Publishes [1,2] at 10 s, [3,4] at 20 s, [5] at 34 s, the completion at 34 s."),
    # At 2, 4, 9, 17, 29, windows of 8 s. The third moves to 12, after the first window's end at 10.
    ("window", "/publisher/window(within:scheduler:buffer:unread:ondrop:)", "value 3", 3,
     "Publishes 1 in window 1 at 2 s, 2 in window 1 at 4 s, 3 in window 2 at 12 s, 4 in window 2 at 17 s, 5 in window 3 at 29 s, "
     "the completion at 34 s."),
]


def play(reader, page, mark, distance, outcome):
    """By mouse, by touch on a small screen, and with the keyboard."""
    browser = reader.browser
    mark = f"document.querySelector('.book-play [aria-label=\"{mark}\"]')"
    result = "document.querySelector('.book-play p.result').innerText"
    reader.open(SYMBOLS + page, f"document.querySelector('.book-play p.result')?.innerText")
    before = browser.evaluate(result)
    reader.expect(before != outcome, "begins with what is to come out")
    for how in ("mouse", "touch", "keys"):
        browser.resize(*(WIDTHS[0] if how == "touch" else WIDTHS[-1]), is_touched=how == "touch")
        reader.expect(browser.evaluate(result) == before, f"does not start again before {how}")
        scale = browser.evaluate("document.querySelector('.book-play svg').getScreenCTM().a")
        if how == "keys":
            browser.evaluate(mark + ".focus()")
            for _ in range(distance):
                browser.press("ArrowRight", 39)
        else:
            browser.drag(mark, distance * 15 * scale, by_touch=how == "touch")
        browser.settle()
        after = browser.evaluate(result)
        reader.expect(after == outcome, f"by {how}: {after} instead of: {outcome}")
        browser.evaluate("[...document.querySelectorAll('.book-play button')].find((button) => button.innerText === 'Start again').click()")
    browser.resize(*WIDTHS[-1])


def read(browser, address, screenshots, only=None):
    """Everything above, or one part of it; the problems, and how many screenshots were taken."""
    reader = Reader(browser, address, screenshots, only)
    title = "document.querySelector('main h1')"
    debounce = SYMBOLS + "/publisher/debounce(for:scheduler:options:)"
    reader.look("front", "/", title + "?.innerText === 'Headgate' && location.pathname.includes('headgate')")
    reader.look("tables", SYMBOLS + "/combinecompatibility/", "document.querySelectorAll('main table').length > 3")
    reader.look("operators", SYMBOLS + "/operators/", "document.querySelectorAll('main table').length > 3")
    reader.look("operator", debounce, "document.querySelector('.book-play')", operator)
    reader.look("conformance", SYMBOLS + "/conformance/", "document.querySelectorAll('.conformance').length > 30", conformance)
    reader.look("charts", SYMBOLS + "/charts/", "document.querySelectorAll('main img').length > 2")
    reader.look("search", SYMBOLS + "/", title + " && document.querySelector('.book-bar .versions li')", search)
    reader.step("search by address", lambda: follow_search(reader))
    reader.look("chooser", "/choose/", "document.querySelectorAll('.answers a').length > 5")
    reader.look("answer", "/choose/", "document.querySelectorAll('.answers a').length > 5", choose)
    reader.step("page of the answer", lambda: follow_answer(reader))
    reader.look("source", debounce, "document.querySelector('main h1') && [...document.querySelectorAll('main a')].some((link) => link.innerText.endsWith('.swift'))", source)
    reader.look("versions", SYMBOLS + "/", title, versions)
    for name, page, mark, distance, outcome in PLAYED:
        reader.step("played " + name, lambda: play(reader, page, mark, distance, outcome))
    return reader.problems, reader.taken
