// What the five operators that depend on time do, for the pages on which a reader plays with them: a browser can't run Swift.
// `Documentation/build` compares these models with runs of the operators themselves, which the generator writes to `played.json`.
//
// Time is in columns. In each, first what arrives, in order; then what the operator has put off until then.

/** How each operator answers to a value, a trigger, the end of its input, and time. `publish` takes what comes out. */
const models = {
    debounce({ time }, publish, finish) {
        let waiting = null, due = 0, hasEnded = false;
        return {
            value(value, now) { waiting = value; due = now + time; },
            end() { hasEnded = true; },
            tick(now) {
                if (waiting !== null && (now >= due || hasEnded)) { publish(waiting); waiting = null; }
                if (hasEnded) { finish(); }
            },
        };
    },

    throttle({ time, latest }, publish, finish) {
        let waiting = null, next = 0, hasEnded = false;
        return {
            value(value) { if (waiting === null || latest) { waiting = value; } },
            end() { hasEnded = true; },
            tick(now) {
                if (waiting !== null && now >= next) { publish(waiting); waiting = null; next = now + time; }
                if (hasEnded && waiting === null) { finish(); }
            },
        };
    },

    sample(_, publish, finish) {
        let waiting = null, hasEnded = false;
        return {
            value(value) { waiting = value; },
            trigger() {
                if (waiting === null) { return; }
                publish(waiting);
                waiting = null;
                if (hasEnded) { finish(); }
            },
            end() { hasEnded = true; if (waiting === null) { finish(); } },
            tick() {},
        };
    },

    batch({ time, count }, publish, finish) {
        let values = [], due = 0;
        const release = () => { if (values.length > 0) { publish(`[${values.join(",")}]`); values = []; } };
        return {
            value(value, now) {
                if (values.length === 0) { due = now + time; }
                values.push(value);
                if (values.length === count) { release(); }
            },
            end() { release(); finish(); },
            tick(now) { if (now >= due) { release(); } },
        };
    },

    window({ time }, publish, finish) {
        let number = -1, due = 0, isOpen = false;
        const close = () => { if (isOpen) { publish(`${number}:|`); isOpen = false; } };
        return {
            value(value, now) {
                if (!isOpen) { number += 1; isOpen = true; due = now + time; }
                publish(`${number}:${value}`);
            },
            end() { close(); finish(); },
            tick(now) { if (now >= due) { close(); } },
        };
    },
};

/**
 * Runs an operator over its input until a column.
 *
 * `input` has the columns of `values`, of the `end` and of `triggers`, and the operator's `time`, `count` and `latest`. Values are
 * numbered in the order of their columns. The result is a list of columns with what is published there; the completion is `|`.
 */
export function run(operator, input, columns = 60) {
    const output = [];
    let now = 0, isFinished = false;
    const publish = (text) => { if (!isFinished) { output.push([now, String(text)]); } };
    const finish = () => { publish("|"); isFinished = true; };
    const model = models[operator](input, publish, finish);
    for (; now <= columns && !isFinished; now += 1) {
        input.values.forEach((column, index) => { if (column === now) { model.value(index + 1, now); } });
        if (input.end === now) { model.end(now); }
        for (const column of input.triggers ?? []) { if (column === now && !isFinished) { model.trigger?.(now); } }
        if (!isFinished) { model.tick(now); }
    }
    return output;
}
