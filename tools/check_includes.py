#!/usr/bin/env python3
"""Rejects an #include that the layering does not allow.

check_includes.py [ROOT]   One line per violation; exit status 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

# What each folder may include besides itself, the public headers and the system's.
ANY = None
PLUGIN_HEADERS = {"src/device/backend_interface.h", "src/device/node_view.h",
                  "src/device/implementations.h", "src/device/node_testing.h",
                  "src/distribution/collectives_interface.h"}
RULES = {
    "include": set(),
    "src/core": set(),
    "src/ledger": {"src/core"},
    "src/device": {"src/core", "src/ledger"},
    "src/distribution": {"src/core", "src/device"},
    "src/graph": {"src/core"},
    "src/ops": {"src/core", "src/distribution", "src/graph"},
    "src/exec": {"src/core", "src/distribution", "src/ledger", "src/device", "src/graph", "src/ops"},
    "src/data": {"src/core", "src/distribution", "src/ledger", "src/device", "src/io"},
    "src/nn": {"src/core", "src/distribution", "src/ledger", "src/device", "src/graph", "src/ops",
               "src/exec", "src/data", "src/io", "src/observe"},
    "src/recipe": {"src/core", "src/exec", "src/io", "src/ledger", "src/nn"},
    "src/io": {"src/core"},
    "src/observe": {"src/core", "src/ledger"},
    "src/report": {"src/core", "src/io"},
    "backends": {"src/core"} | PLUGIN_HEADERS,
    "cli": set(),
    "inject": set(),
    "examples": set(),
    "bench": {"src/core", "src/device", "src/distribution", "src/io"},
    "bench/kernels": {"src/core", "backends"} | PLUGIN_HEADERS,
    "fuzz": ANY,
    "tests": ANY,
}
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD_HEADER = re.compile(r"^[a-z0-9_]+$")


def folder_of(path):
    """The rule for a file: that of the longest folder of RULES that contains it; None outside all."""
    parents = [str(parent) for parent in path.parents]
    return next((parent for parent in parents if parent in RULES), None)


def unit_of(path):
    """Folders within which files include each other freely; each backend is a separate one."""
    return "/".join(path.parts[:2]) if path.parts[0] == "backends" else folder_of(path)


class Checker:
    def __init__(self, root):
        self.root = root

    def includes(self, path):
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            yield text.count("\n", 0, match.start(2)) + 1, match.group(2)

    def resolve(self, path, name):
        """The project's file an include names, or None for one of the system's."""
        if name.startswith("stoker/"):
            return pathlib.PurePosixPath("include", name)  # some are generated
        places = [path.parent, pathlib.PurePosixPath("src"), pathlib.PurePosixPath("tests")]
        if path.parts[0] == "backends" or path.parts[:2] == ("bench", "kernels"):
            backends = sorted(folder.name for folder in (self.root / "backends").glob("*/"))
            own = [path.parts[1]] if path.parts[0] == "backends" else []
            places += [pathlib.PurePosixPath("backends", name) for name in own + backends]
        for place in places:
            found = (self.root / place / name).resolve()
            if found.is_file() and found.is_relative_to(self.root):
                return pathlib.PurePosixPath(found.relative_to(self.root))
        return None

    def allowed(self, path, target):
        rule = RULES[folder_of(path)]
        if rule is ANY or path.stem.endswith("_test") or unit_of(path) == unit_of(target):
            return True
        return folder_of(target) in rule or str(target) in rule or folder_of(target) == "include"

    def violations(self, path):
        folder = folder_of(path)
        for line, name in self.includes(path):
            target = self.resolve(path, name)
            if target is None:
                if folder == "include" and not STANDARD_HEADER.match(name):
                    yield f"{path}:{line}: a public header includes {name}, neither public nor std"
                elif path.parts[0] == "src" and "/" in name and f"src/{name.split('/')[0]}" in RULES:
                    yield f"{path}:{line}: there is no src/{name}. Hint: it may have moved to another folder."
            elif not self.allowed(path, target):
                may = ", ".join(sorted(RULES[folder])) or "public headers only"
                yield f"{path}:{line}: {folder} may not include {target} (may: {may})"

    def own_programs(self):
        """A user's own files in examples/, which git does not track."""
        listed = subprocess.run(["git", "ls-files", "--others", "examples"], cwd=self.root, capture_output=True, text=True)
        return set(listed.stdout.splitlines())

    def run(self):
        tops = sorted({rule.split("/")[0] for rule in RULES})
        own = self.own_programs()
        files = [pathlib.PurePosixPath(file.relative_to(self.root))
                 for top in tops for file in sorted((self.root / top).rglob("*"))
                 if file.suffix in SUFFIXES and str(file.relative_to(self.root)) not in own]
        unknown = [f"{file}: lies in no folder that tools/check_includes.py has a rule for"
                   for file in files if folder_of(file) is None]
        return unknown + [message for file in files if folder_of(file) is not None
                          for message in self.violations(file)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    found = Checker(pathlib.Path(root).resolve()).run()
    for message in found:
        print(message)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
