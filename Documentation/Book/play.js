// On the pages of the operators that depend on time: a time-line whose values can be dragged, and what the operator makes of it.
import { run } from "./models.js";
import { draw, make } from "./site.js";

// On a telephone, marks stand closer, so that all of them fit and can be read.
const isNarrow = matchMedia("(max-width: 735px)").matches;
const columns = 40, left = isNarrow ? 66 : 76, step = isNarrow ? 8 : 15, right = left + columns * step + 16;

/** How each page begins, by the beginning of its address. */
const plays = [
    { page: /\/publisher\/debounce\(/, operator: "debounce", values: [2, 5, 8, 19, 22], end: 34, time: 6 },
    { page: /\/publisher\/throttle\(/, operator: "throttle", values: [2, 4, 6, 16, 18], end: 34, time: 6, latest: true },
    { page: /\/publisher\/sample\(on:\)/, operator: "sample", values: [2, 6, 9, 20, 31], triggers: [4, 13, 18, 25, 35], end: 33 },
    { page: /\/publisher\/batch\(count:weight:within:/, operator: "batch", values: [2, 4, 6, 17, 29], end: 34, time: 8, count: 3 },
    { page: /\/publisher\/window\(within:/, operator: "window", values: [2, 4, 9, 17, 29], end: 34, time: 8 },
];

/** Puts the time-line on this page, if there is one for it. */
export function playOnThisPage() {
    const play = plays.find(({ page }) => page.test(decodeURIComponent(location.pathname)));
    const old = document.querySelector(".book-play");
    // Below the summary and above the declaration: what a reader sees without scrolling.
    const top = document.querySelector("main .documentation-hero .abstract");
    if (old && old.dataset.operator !== play?.operator) { old.remove(); }
    if (play && top && !document.querySelector(".book-play")) { top.after(new Play(play).element); }
}

class Play {
    constructor(start) {
        this.start = start;
        // What can be moved stays while the rest is drawn anew: a browser sends nothing more of a finger whose element has gone.
        this.drawn = draw("g");
        this.movable = draw("g");
        this.picture = draw("svg", { role: "group", "aria-label": `A time-line for ${start.operator}` }, this.drawn, this.movable);
        this.text = make("p", { class: "result", "aria-live": "polite" });
        this.controls = make("div", { class: "controls" });
        this.element = make("section", { class: "book-play", "data-operator": start.operator },
            make("h4", {}, "Try it"),
            make("p", {}, "Drag the values, or move them with the arrow keys. The output follows at once."),
            make("div", { class: "frame" }, this.picture), this.controls, this.text);
        this.reset();
    }

    reset() {
        const { values, triggers, end, time, count, latest } = this.start;
        this.marks = [
            ...values.map((column, index) => ({ kind: "value", label: String(index + 1), column })),
            ...(triggers ?? []).map((column) => ({ kind: "trigger", label: "t", column })),
            { kind: "end", label: "end", column: end },
        ];
        Object.assign(this, { time, count, latest });
        this.showControls();
        this.show();
    }

    showControls() {
        const number = (label, name, most) => this[name] === undefined ? [] : [make("label", {}, `${label} `, make("input", {
            type: "range", min: 1, max: most, value: this[name],
            oninput: (event) => { this[name] = Number(event.target.value); this.show(); },
        }))];
        const latest = this.latest === undefined ? [] : [make("label", {}, make("input", {
            type: "checkbox", checked: this.latest ? "" : undefined,
            onchange: (event) => { this.latest = event.target.checked; this.show(); },
        }), " latest")];
        this.controls.replaceChildren(
            ...number("seconds", "time", 15), ...number("count", "count", 6), ...latest,
            make("button", { type: "button", onclick: () => this.add() }, "Add a value"),
            make("button", { type: "button", onclick: () => this.remove() }, "Remove one"),
            make("button", { type: "button", onclick: () => this.reset() }, "Start again"));
    }

    get values() { return this.marks.filter((mark) => mark.kind === "value"); }
    get end() { return this.marks.find((mark) => mark.kind === "end").column; }

    add() {
        const values = this.values;
        if (values.length >= 9) { return; }
        const isFree = (column) => values.every((mark) => mark.column !== column);
        const column = [...Array(columns).keys()].map((index) => (index * 7 + 11) % (columns - 1) + 1).find(isFree) ?? 1;
        this.marks.push({ kind: "value", label: String(values.length + 1), column });
        this.show();
    }

    remove() {
        const last = this.values.at(-1);
        if (last) { this.marks.splice(this.marks.indexOf(last), 1); this.show(); }
    }

    /** What comes out, with the labels of the values that went in. */
    get output() {
        const arriving = this.values.filter((mark) => mark.column <= this.end).sort((one, other) => one.column - other.column);
        const input = {
            values: arriving.map((mark) => mark.column), end: this.end, time: this.time, count: this.count, latest: this.latest,
            triggers: this.marks.filter((mark) => mark.kind === "trigger").map((mark) => mark.column).sort((one, other) => one - other),
        };
        const named = (text) => text.replace(/\d+/g, (number) => arriving[number - 1].label);
        return run(this.start.operator, input, columns + 20).map(([column, text]) => {
            const [window, value] = text.includes(":") ? text.split(":") : [null, text];
            return { column, window: window === null ? null : Number(window), text: named(value) };
        });
    }

    show() {
        const output = this.output;
        const rows = [{ name: "self", marks: this.marks.filter((mark) => mark.kind !== "trigger"), end: this.end }];
        if (this.start.triggers) { rows.push({ name: "trigger", marks: this.marks.filter((mark) => mark.kind === "trigger") }); }
        const parts = rows.map((row, index) => this.row(row, 26 + index * 46, true));
        const top = 26 + rows.length * 46;
        parts.push(draw("rect", { class: "box", x: left, y: top - 14, width: columns * step, height: 28, rx: 5 }),
            draw("text", { class: "call", x: left + columns * step / 2, y: top + 5 }, this.call));
        const windows = [...new Set(output.map((event) => event.window).filter((number) => number !== null))];
        const results = windows.length > 0
            ? windows.map((number) => ({ name: `window ${number + 1}`, marks: output.filter((event) => event.window === number) }))
            : [{ name: "", marks: output.filter((event) => event.window === null) }];
        for (const [index, row] of results.entries()) {
            const first = row.marks[0]?.column ?? 0;
            const end = row.marks.find((mark) => mark.text === "|")?.column;
            parts.push(this.row({ ...row, start: windows.length > 0 ? first : 0, end }, top + 44 + index * 42, false));
        }
        this.picture.setAttribute("viewBox", `0 0 ${right} ${top + 70 + (results.length - 1) * 42}`);
        this.drawn.replaceChildren(...parts);
        for (const element of [...this.movable.children]) {
            if (!this.marks.some((mark) => mark.element === element)) { element.remove(); }
        }
        this.text.textContent = `Publishes ${output.filter((event) => event.text !== "|" || event.window === null)
            .map((event) => `${event.text === "|" ? "the completion" : event.text}${event.window === null ? "" : ` in window ${event.window + 1}`} at ${event.column} s`).join(", ")}.`;
    }

    get call() {
        const { time, count, latest } = this;
        switch (this.start.operator) {
        case "debounce": return `debounce(for: ${time})`;
        case "throttle": return `throttle(for: ${time}, latest: ${latest})`;
        case "sample": return "sample(on: trigger)";
        case "batch": return `batch(count: ${count}, within: ${time})`;
        default: return `window(within: ${time})`;
        }
    }

    row({ name, marks, start = 0, end }, y, canMove) {
        const x = (column) => left + column * step;
        const line = draw("line", { x1: x(start), y1: y, x2: Math.min(x(end ?? columns), right - 8), y2: y });
        const seen = new Map();
        const shown = marks.filter((mark) => x(mark.column) < right).map((mark) => {
            const text = mark.label ?? mark.text;
            // What happens at the same time stands one below the other, and a completion after it.
            const isEnd = mark.kind === "end" || text === "|";
            const depth = isEnd ? 0 : seen.get(mark.column) ?? 0;
            if (!isEnd) { seen.set(mark.column, depth + 1); }
            const isLate = canMove && mark.column > this.end && mark.kind === "value";
            const group = canMove ? this.movableMark(mark, isEnd) : draw("g", {}, ...this.shape(text, isEnd));
            group.setAttribute("transform", `translate(${x(mark.column) + (isEnd && seen.get(mark.column) ? 14 : 0)} ${y + depth * 9})`);
            group.setAttribute("class", `${mark.kind ?? "result"}${isLate ? " late" : ""}`);
            if (canMove) { group.setAttribute("aria-valuenow", mark.column); }
            return group;
        });
        return draw("g", {}, draw("text", { class: "name", x: left - 12, y: y + 4 }, name), line, ...(canMove ? [] : shown));
    }

    shape(text, isEnd) {
        return isEnd ? [draw("rect", { class: "end", x: -2.5, y: -13, width: 5, height: 26 })] : this.marble(text);
    }

    marble(text) {
        const width = Math.max(24, text.length * 8 + 8);
        return [draw("rect", { x: -width / 2, y: -12, width, height: 24, rx: 12 }), draw("text", { y: 4 }, text)];
    }

    /** The element of a mark, which is made once. */
    movableMark(mark, isEnd) {
        const moveTo = (column) => {
            mark.column = Math.max(1, Math.min(columns, column));
            this.show();
        };
        return mark.element ??= this.movable.appendChild(draw("g", {
            role: "slider", tabindex: 0, "aria-valuemin": 1, "aria-valuemax": columns,
            "aria-label": mark.kind === "value" ? `value ${mark.label}` : mark.kind === "end" ? "completion" : "trigger",
            onkeydown: (event) => {
                const change = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                if (change) { event.preventDefault(); moveTo(mark.column + change); }
            },
            // A finger on a mark moves it, and not the page: for elements in a picture, `touch-action` is not enough.
            ontouchstart: (event) => event.preventDefault(),
            onpointerdown: (event) => {
                event.preventDefault();
                mark.element.setPointerCapture(event.pointerId);
                mark.element.focus();
            },
            onpointermove: (event) => {
                if (!mark.element.hasPointerCapture(event.pointerId)) { return; }
                const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
                moveTo(Math.round((point.x - left) / step));
            },
        // A mark is easier to hit than its line.
        }, draw("rect", { class: "grip", x: -14, y: -16, width: 28, height: 32 }), ...this.shape(mark.label, isEnd)));
    }
}
