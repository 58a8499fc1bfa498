"""What the sources declare and the scenarios execute, and the reasons beside this file; for `mutate` and `covered`."""

import collections, pathlib, re, sys

root = pathlib.Path(__file__).resolve().parents[2]

orders = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
names = {
    "relaxed": "relaxed", "acquiring": "acquire", "releasing": "release", "acquiringAndReleasing": "acq_rel",
    "sequentiallyConsistent": "seq_cst",
}  # fmt: skip
# What may be weaker by one step: of an update both halves, one at a time.
loads = {"acquire": ["relaxed"], "seq_cst": ["acquire"]}
stores = {"release": ["relaxed"], "seq_cst": ["release"]}
updates = {"acquire": ["relaxed"], "release": ["relaxed"], "acq_rel": ["acquire", "release"], "seq_cst": ["acq_rel"]}

# An operation of an atomic: `name` is the file as `#fileID` has it, and line and column are those of its parenthesis.
Operation = collections.namedtuple("Operation", "name line column function call weaker")
# An atomic.
Declaration = collections.namedtuple("Declaration", "name line text")
Reason = collections.namedtuple("Reason", "kind key sentence line")


def files():
    """The sources, by their names."""
    for path in sorted((root / "Sources").rglob("*.swift")):
        yield f"{path.relative_to(root / 'Sources').parts[0]}/{path.name}", path.read_text()


def opening(text, place):
    """The parenthesis around a place."""
    depth = 0
    while depth < 1:
        place -= 1
        depth += {"(": 1, ")": -1}.get(text[place], 0)
    return place


def closing(text, place):
    """The parenthesis that closes the one at a place."""
    depth = 1
    while depth > 0:
        place += 1
        depth += {"(": 1, ")": -1}.get(text[place], 0)
    return place


def operations():
    """The operations that order something."""
    for name, text in files():
        for match in re.finditer(r"ordering: \.(\w+)", text):
            order = names[match[1]]
            start = opening(text, match.start())
            call = re.search(r"[\w.!?]+$", text[:start])[0]
            if text.rfind("\n", 0, start) < text.rfind("//", 0, start): continue
            kind = loads if call.endswith(".load") else stores if call.endswith(".store") else updates
            if order not in kind: continue
            line = text.count("\n", 0, start) + 1
            members = re.findall(r"\b(?:func|var) (\w+)\b[^=\n]*[{(]|\b((?:de)?init)\b[(<? {]", text[:start])
            function = "".join(members[-1]) if members else ""
            written = " ".join(text[start - len(call) : closing(text, start) + 1].split())
            yield Operation(name, line, start - text.rfind("\n", 0, start), function, written, kind[order])


def declarations():
    """The atomics, by the line that creates them. A lock needs no scenario: what it guards is reached under it alone."""
    for name, text in files():
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("//"): continue
            if re.search(r"\bAtomic(<.*>)?\(", line): yield Declaration(name, number, line.strip())


def reasons():
    """What `reasons` says: headings, each with a sentence that is indented."""
    found = []
    for number, line in enumerate((root / "Tests/Model/reasons").read_text().splitlines(), 1):
        if not line or line.startswith("#"): continue
        if line.startswith(" "):
            found[-1] = found[-1]._replace(sentence=f"{found[-1].sentence} {line.strip()}".strip())
        else:
            kind, _, key = line.partition(" ")
            found.append(Reason(kind, key, "", number))
    for reason in found:
        if not reason.sentence: sys.exit(f"Tests/Model/reasons:{reason.line}: a reason without a sentence")
    return found


def key(operation):
    return f"{operation.name} {operation.function}: {operation.call}"
