// On the pages of the operators that depend on time: a time-line whose values can be dragged, and what the operator makes of it.
import { run } from "./models.js";
import { make } from "./site.js";

const columns = 40;

/** How each page begins, by the beginning of its address. */
const plays = [
    { page: /\/publisher\/debounce\(/, operator: "debounce", values: [2, 5, 8, 19, 22], end: 34, time: 6,
        call: ({ time }) => `debounce(for: ${time})` },
    { page: /\/publisher\/throttle\(/, operator: "throttle", values: [2, 4, 6, 16, 18], end: 34, time: 6, latest: true,
        call: ({ time, latest }) => `throttle(for: ${time}, latest: ${latest})` },
    { page: /\/publisher\/sample\(on:\)/, operator: "sample", values: [2, 6, 9, 20, 31], triggers: [4, 13, 18, 25, 35], end: 33,
        call: () => "sample(on: trigger)" },
    { page: /\/publisher\/batch\(count:weight:within:/, operator: "batch", values: [2, 4, 6, 17, 29], end: 34, time: 8, count: 3,
        call: ({ time, count }) => `batch(count: ${count}, within: ${time})` },
    { page: /\/publisher\/window\(within:/, operator: "window", values: [2, 4, 9, 17, 29], end: 34, time: 8,
        call: ({ time }) => `window(within: ${time})` },
];

/** Where values stand that a reader adds. */
const added = [12, 26, 33, 1];

/** Puts the time-line on this page, if there is one for it. */
export function playOnThisPage() {
    const play = plays.find(({ page }) => page.test(decodeURIComponent(location.pathname)));
    const old = document.querySelector(".book-play");
    // Below the summary and above the declaration: what a reader sees without scrolling.
    const top = document.querySelector("main .documentation-hero .abstract");
    if (old && old.dataset.operator !== play?.operator) { old.remove(); }
    if (play && top && !document.querySelector(".book-play")) { top.after(timeLine(play)); }
}

/** The time-line of an operator as a form: what can be moved or chosen is an input, which begins as its value says. */
function timeLine({ operator, call, values, triggers = [], end, time, count, latest }) {
    const range = (name, min, max, value, label) => make("input", { type: "range", name, min, max, value, "aria-label": label });
    const movable = (kind, text, column, label) => mark(kind, text, column, range(kind, 1, columns, column, label));
    const valueMarks = [...values, ...added].map((column, index) => movable("value", index + 1, column, `value ${index + 1}`));
    const triggerMarks = triggers.map((column) => movable("trigger", "t", column, "trigger"));
    const endMark = movable("end", "", end, "completion");
    const self = row("self", [...valueMarks, endMark]);
    const trigger = row("trigger", triggerMarks);
    const box = make("code", {});
    const results = make("div", {});
    const text = make("p", { "aria-live": "polite" });

    const form = make("form", { class: "book-play", "data-operator": operator, oninput: show, onreset: () => setTimeout(show) },
        make("h4", {}, "Try it"),
        make("p", {}, "Drag the values, or move them with the arrow keys. The output follows at once."),
        make("div", { class: "picture", role: "group", "aria-label": `A time-line for ${operator}` },
            self, triggers.length > 0 ? trigger : [], box, results),
        make("div", { class: "controls" },
            make("label", {}, "values", range("shown", 0, valueMarks.length, values.length)),
            time ? make("label", {}, "seconds", range("time", 1, 15, time)) : [],
            count ? make("label", {}, "count", range("count", 1, 6, count)) : [],
            latest ? make("label", {}, make("input", { type: "checkbox", name: "latest", checked: "" }), "latest") : [],
            make("button", { type: "reset" }, "Start again")),
        text);
    show();
    return form;

    function show() {
        const { shown, time, count, latest } = form.elements;
        valueMarks.forEach((mark, index) => { mark.hidden = index >= shown.value; });
        const present = valueMarks.filter((mark) => !mark.hidden);
        const end = columnOf(endMark);
        for (const mark of present) { mark.classList.toggle("late", columnOf(mark) > end); }
        const byColumn = (one, other) => columnOf(one) - columnOf(other);
        const arriving = present.filter((mark) => columnOf(mark) <= end).sort(byColumn);
        const input = {
            values: arriving.map(columnOf), end, triggers: triggerMarks.map(columnOf).sort((one, other) => one - other),
            time: time?.valueAsNumber, count: count?.valueAsNumber, latest: latest?.checked,
        };
        place(self, [...present, endMark]);
        place(trigger, triggerMarks);
        box.textContent = call(input);
        // With the labels of the values that went in.
        const output = run(operator, input, columns + 20).map(([column, text]) => {
            const [label, window] = String(text).split(":").reverse();
            return {
                column, isEnd: label === "|", name: window === undefined ? "" : `window ${Number(window) + 1}`,
                text: label.replace(/\d+/g, (number) => arriving[number - 1].textContent),
            };
        });
        // Behind windows comes the completion of the stream that they are values of.
        const names = [...new Set(output.map(({ name }) => name))];
        results.replaceChildren(...(names.length > 1 ? names.slice(0, -1) : [""]).map((name) => {
            const marks = output.filter((event) => event.name === name && event.column <= columns)
                .map(({ isEnd, text, column }) => isEnd ? mark("end", "", column) : mark("result", text, column));
            const result = row(name, marks);
            place(result, marks, name ? columnOf(marks[0]) : 0);
            return result;
        }));
        const said = output.filter(({ isEnd, name }) => !isEnd || !name);
        text.textContent = `Publishes ${said.map(({ isEnd, name, text, column }) =>
            `${isEnd ? "the completion" : text}${name && ` in ${name}`} at ${column} s`).join(", ")}.`;
    }
}

const mark = (kind, text, column, input = []) => make("span", { class: kind, "data-column": column }, input, make("b", {}, text));
const row = (name, marks) => make("div", { class: "row" }, make("span", { class: "name" }, name), marks);
const columnOf = (mark) => mark.querySelector("input")?.valueAsNumber ?? Number(mark.dataset.column);

/** Puts the marks of a row at their columns: those that happen at the same time one below the other, and a completion beside them. */
function place(row, marks, from = 0) {
    const depths = {};
    for (const mark of marks) {
        const column = columnOf(mark);
        depths[column] = (depths[column] ?? -1) + 1;
        mark.style = `--column: ${column}; --depth: ${depths[column]}`;
    }
    const end = marks.find((mark) => mark.className === "end");
    row.style = `--from: ${from}; --to: ${end ? columnOf(end) : columns}`;
}
