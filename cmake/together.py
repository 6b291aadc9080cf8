#!/usr/bin/env python3
"""Puts source files that compile together into translation units.

together.py OUT ROOT LINES FILE...
Writes OUT_<n>.cpp, which include files of about LINES lines in total, and prints what to compile: these, and the files that
fit into none. Two files never share a unit if they define helpers of the same name (two functions `shape` in
unnamed namespaces), or if one of them calls a function by a name that the other one defines as a helper: the helper
would hide the intended function, or be a better overload. A file's unit is chosen by its name, so that most files stay where they are when others
are added or removed.
"""
import hashlib
import os
import pathlib
import re
import sys

# Names that several files may define: each file of a unit gets its own (see text_of).
OWN = {"registered"}
# These are compiled several times for different targets, or with their own options.
ALONE = re.compile(r"hwy/foreach_target\.h|STOKER_PLUGIN_DIR|compile this file alone")
FUNCTION = re.compile(r"^[\w:<>,&*\s\[\]()\"]*?\b(\w+)\((?!\))|^[\w:<>,&*\s]*?\b(\w+)\(\)")
VARIABLE = re.compile(r"^[\w:<>,&*\s]+?\b(\w+)(?:\[[^\]]*\])*(?:\{| =|;)")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
ATTRIBUTE = re.compile(r"^\[\[\w+\]\] ")
MORE = re.compile(r", (\w+)(?= =|\{|;|,)")  # int a = 1, b = 2;
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum|union) (\w+)")
ALIAS = re.compile(r"^using (\w+) =|^#define (\w+)|^namespace (\w+) =")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+), *(\w+)\)|^INSTANTIATE_\w+\((\w+), *(\w+),")
CALL = re.compile(r"(?<![\w.>:])(\w+)\(")  # unqualified
SKIPPED = re.compile(r"^(?:\s|//|#include|#pragma|$|namespace\b.*\{$|using (?!\w+ =)|[})])")


def without_raw_strings(text):
    return RAW_STRING.sub('""', text)


def names_of(text):
    """The names that the file defines: in unnamed namespaces, as macros and as tests."""
    names, unnamed = set(), False
    for line in text.splitlines():
        line = ATTRIBUTE.sub("", line)
        if line.startswith("namespace {"):
            unnamed = True
        elif line.startswith("}  // namespace") and line.strip() == "}  // namespace":
            unnamed = False
        if SKIPPED.match(line):
            continue
        test = TEST.match(line)
        if test:
            names.add("_".join(part for part in test.groups() if part))
            continue
        kinds = (ALIAS, TYPE, FUNCTION, VARIABLE) if unnamed or line.startswith("static ") else (ALIAS,)
        for kind in kinds:
            found = kind.match(line)
            if found:
                names.add(next(name for name in found.groups() if name))
                names.update(MORE.findall(line) if kind is VARIABLE else ())
                break
    return names - OWN


def calls_of(text):
    return set(CALL.findall(text))


def places_of(path, count):
    """The units in the file's order of preference: few files move when a unit is added."""
    return sorted(range(count), key=lambda unit: hashlib.md5(f"{path.name} {unit}".encode()).digest())


class Unit:
    def __init__(self):
        self.paths, self.names, self.calls, self.lines = [], set(), set(), 0

    def takes(self, names, calls):
        return not (self.names & names or self.names & calls or self.calls & names)

    def add(self, path, names, calls, lines):
        self.paths.append(path)
        self.names |= names
        self.calls |= calls
        self.lines += lines


def share_out(files, lines):
    """([[path]], [path]): the units, and the files that compile alone. files: (path, text)."""
    total = sum(text.count("\n") for _, text in files)
    count = max(1, round(total / lines))
    units, left = [Unit() for _ in range(count)], []
    for path, text in files:
        names, calls = names_of(text), calls_of(text)
        if ALONE.search(text):
            left.append(path)
            continue
        places = places_of(path, count) + list(range(count, len(units)))
        fits = [units[place] for place in places if units[place].takes(names, calls)]
        if not fits:
            units.append(Unit())
            fits = units[-1:]
        roomy = [unit for unit in fits if unit.lines < 1.25 * lines]
        (roomy or fits)[0].add(path, names, calls, text.count("\n"))
    return [unit.paths for unit in units], left


def text_of(unit, root, folder):
    """The unit's file in a folder; its paths are relative, so that checkouts share a compiler cache."""
    lines = []
    for path in unit:
        own = re.sub(r"\W", "_", str(path.relative_to(root).with_suffix("")))
        lines += [f"#define {name} {name}_{own}" for name in sorted(OWN)]
        lines += [f'#include "{os.path.relpath(path, folder)}"'] + [f"#undef {name}" for name in sorted(OWN)]
    return "\n".join(lines) + "\n"


def main(out, root, lines, *files):
    out, root = pathlib.Path(out), pathlib.Path(root)
    paths = sorted(map(pathlib.Path, files))
    units, left = share_out([(path, without_raw_strings(path.read_text())) for path in paths], int(lines))
    out.parent.mkdir(parents=True, exist_ok=True)
    for number, unit in enumerate(units):
        if len(unit) < 2:
            left += unit
            continue
        file = out.parent / f"{out.name}_{number}.cpp"
        text = text_of(unit, root, out.parent)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        left.append(file)
    print(";".join(map(str, left)), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
