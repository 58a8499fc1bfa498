// What the five operators that depend on time do, for the pages on which a reader plays with them: a browser can't run Swift.
// `Documentation/build` compares these models with runs of the operators themselves, which the generator writes to `played.json`.
//
// Time is in columns. In each, first what arrives, in order; then what the operator has put off until then.

/** How many values have arrived until a column. */
const arrived = (values, now) => values.filter((column) => column <= now).length;

/** The values that stand together: from one on for a time, until there is a number of them, or until the end. */
function groups({ values, end, time }, count = Infinity) {
    const all = [];
    for (const [index, column] of values.entries()) {
        let group = all.at(-1);
        if (!group || column > group.end || group.members.length === count) {
            group = { members: [], end: Math.min(column + time, end) };
            all.push(group);
        }
        group.members.push(index + 1);
        if (group.members.length === count) { group.end = column; }
    }
    return all;
}

/** What each operator publishes, and in which columns, but for the completion. */
const models = {
    debounce: ({ values, end, time }) => values.flatMap((column, index) =>
        values[index + 1] <= column + time ? [] : [[Math.min(column + time, end), index + 1]]),

    throttle({ values, time, latest }) {
        const output = [];
        let now = -time;
        for (let next = 0; next < values.length; next = arrived(values, now)) {
            now = Math.max(now + time, values[next]);
            output.push([now, latest ? arrived(values, now) : next + 1]);
        }
        return output;
    },

    // A value for which no trigger comes waits for ever, and so does the completion.
    sample: ({ values, triggers }) => [...triggers, Infinity].flatMap((now, index, all) =>
        arrived(values, now) > arrived(values, all[index - 1] ?? 0) ? [[now, arrived(values, now)]] : []),

    batch: (input) => groups(input, input.count).map(({ members, end }) => [end, `[${members}]`]),

    window: (input) => groups(input).flatMap(({ members, end }, number) =>
        [...members.map((value) => [input.values[value - 1], `${number}:${value}`]), [end, `${number}:|`]]),
};

/**
 * Runs an operator over its input until a column.
 *
 * `input` has the columns of `values`, of the `end` and of `triggers`, and the operator's `time`, `count` and `latest`. Values are
 * numbered in the order of their columns. The result is a list of columns with what is published there; the completion is `|`.
 */
export function run(operator, input, columns = 60) {
    const output = models[operator](input);
    const end = Math.max(input.end, ...output.map(([column]) => column));
    return [...output, [end, "|"]].filter(([column]) => column <= columns);
}
