#!/usr/bin/env python3
"""Puts source files that compile together into translation units.

together.py OUT ROOT LINES FILE...
Writes OUT_<n>.cpp, which include files of about LINES lines in all, and prints what to compile: these, and the files that
found no place in one. Files never share a unit that name something of their own alike (two helpers `shape` in
unnamed namespaces), nor if one of them calls something by a name that the other one gives to something of its own: it
would hide what is meant, or be an overload that fits better. A file stays where it is when others come and go, as far as that goes: its place is
chosen by its name.
"""
import hashlib
import os
import pathlib
import re
import sys

# What a file may have alike with others: each file of a unit gets its own (see text_of).
OWN = {"registered"}
# These are compiled several times with other targets, or with options of their own.
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
    """What the file names by itself: in unnamed namespaces, as macros and as tests."""
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
    """The units in the order in which the file would like them: few move when there is one more."""
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
    """([[path]], [path]): the units, and what compiles alone. files: (path, text)."""
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
