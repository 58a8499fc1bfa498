// "Which operator do I need?": one question at a time, until the answer is an operator. The address keeps the answers, so that each step
// has a link and the browser's buttons go back and forth.
import { address, make, read } from "./site.js";

const place = document.getElementById("chooser");
const root = await read("questions");

/** The answers so far: their positions, as in `#2.0.1`. */
function steps() {
    const taken = [];
    let node = root;
    for (const number of location.hash.slice(1).split(".").filter(Boolean).map(Number)) {
        const answer = node.answers?.[number];
        if (!answer) { break; }
        if (answer.goTo) {
            // The questions continue elsewhere.
            const index = root.answers.findIndex((other) => other.answer === answer.goTo);
            return [{ node: root.answers[index], hash: String(index) }];
        }
        taken.push({ node: answer, hash: [...taken.map((step) => step.number), number].join("."), number });
        node = answer;
    }
    return taken;
}

function show() {
    const taken = steps();
    const node = taken.at(-1)?.node ?? root;
    const path = make("ol", { class: "path" },
        ...(taken.length > 0 ? [make("li", {}, make("a", { href: "#" }, "Start"))] : []),
        ...taken.map(({ node, hash }) => make("li", {}, make("a", { href: `#${hash}` }, node.answer))));
    place.replaceChildren(make("h1", {}, "Which operator do I need?"), path, ...(node.answers ? asked(node, taken) : answered(node)));
    if (taken.length === 0) {
        place.append(make("p", { class: "hint" }, "Or ", make("a", { href: address("documentation/headgate/operators") }, "the table"),
            " of all operators by task, with their names in Combine, RxSwift, RxJava, Reactor and swift-async-algorithms."));
    }
}

function asked(node, taken) {
    const before = taken.map((step) => step.number ?? step.hash);
    const answers = node.answers.map((answer, index) => make("li", {},
        make("a", { href: `#${[...before, index].join(".")}` },
            make("span", {}, answer.answer), answer.operator ? make("code", {}, answer.operator) : "")));
    return [make("h2", {}, node.question), make("ul", { class: "answers" }, ...answers)];
}

function answered(leaf) {
    const contents = [
        make("h2", { class: "operator" }, make("a", { href: address(leaf.path) }, make("code", {}, leaf.operator))),
        make("p", {}, leaf.summary),
    ];
    if (leaf.picture) {
        const picture = (suffix) => address(`images/headgate/${leaf.picture}${suffix}.svg`);
        contents.push(make("picture", {},
            make("source", { srcset: picture("~dark"), media: "(prefers-color-scheme: dark)" }),
            make("img", { src: picture(""), alt: `The time-line of ${leaf.operator}` })));
    }
    contents.push(make("p", { class: "import" }, make("code", {}, leaf.imports)));
    const others = (leaf.others ?? []).map(([name, path]) => make("a", { href: address(path) }, make("code", {}, name)));
    if (others.length > 0) {
        contents.push(make("p", {}, "See also ", ...others.flatMap((link, index) => (index > 0 ? [", ", link] : [link])), "."));
    }
    contents.push(make("p", {}, make("a", { class: "more", href: address(leaf.path) }, "Its page: demand, completion, example")));
    return [make("section", { class: "answer" }, ...contents)];
}

addEventListener("hashchange", show);
show();
