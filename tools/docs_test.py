"""Checks the documents: C++ snippets compile, and paths, links, make targets and variables exist.

Blocks marked ```cpp are compiled together, in one file; those of the CUDA backend in another one, and ```cuda blocks with the emulator's
headers. Declarations that a block needs are in a comment above it, which is not shown: <!-- given: extern Model model; extern Array x, y -->."""
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import architecture
import check_includes

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("*/*/README.md")])
PAGES = [page for page in PAGES if "build" not in page.relative_to(ROOT).parts]
BLOCK = re.compile(r"(?:<!-- given: (?P<given>.*?) -->\n+)?^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
FOLDERS = ("src", "include", "backends", "docs", "tools", "tests", "bench", "examples", "cli", "inject", "fuzz", "cmake")
PLACEHOLDER = re.compile(r"[A-Z]{3,}|[<>*…{]|/(mine|scale|cube)(_kind|_cases)?(_test)?[./]")  # NAME, <family>, …; the files that guides let one write
ALWAYS = ["#include <stoker/stoker.h>", "#include <fmt/format.h>", "#include <cstdio>", "#include <fcntl.h>", "#include <sys/mman.h>",
          "#include <unistd.h>", '#include "device/backend_interface.h"']
HISTORY = {"CHANGELOG.md", "notes.md", "decisions.md"}  # these also describe the past


def place(page, text, at):
    return f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}"


@functools.cache
def snippets(language="cpp"):
    """(place, given, code) of every block in the language."""
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in BLOCK.finditer(text):
            if match["language"] == language:
                found.append((place(page, text, match.start("text")), match["given"] or "", match["text"]))
    return found


def as_unit(where, given, code, number):
    """A snippet's includes, and the rest of it: a file's as it is, definitions in a namespace, statements in a function."""
    lines = code.splitlines()
    includes = [line.strip() for line in lines if line.strip().startswith("#include")]
    rest = "\n".join("" if line.strip().startswith("#") else line for line in lines)
    source, line = where.rsplit(":", 1)
    rest = f'#line {line} "{source}"\n{rest}\n'
    given = "".join(f"{declaration.strip()};\n" for declaration in given.split(";") if declaration.strip())
    if re.search(r"^\s*(namespace|extern)", rest, re.MULTILINE):
        return includes, given + rest
    if not re.search(r"^(struct|class|int main|\w+ \w+\(.*\{)", rest, re.MULTILINE):
        given, rest = "", f"[[maybe_unused]] void snippet() {{\n{given}{rest}}}\n"
    return includes, f"namespace snippet_{number} {{\nusing namespace stoker;\n{given}{rest}}}\n"


FILE = re.compile(r"`((?:src|include|backends|tests)/[\w/.]+\.(?:h|cpp|cuh))`")


def files_shown():
    """(place, path, code) of every block that is a whole file of the repository: its path is the last one named before it."""
    for page in PAGES:
        text = page.read_text()
        for match in BLOCK.finditer(text):
            code = textwrap.dedent(match["text"])
            paths = FILE.findall(text, 0, match.start())
            if paths and code.startswith("#") and match["language"] in ("cpp", "cuda"):
                yield place(page, text, match.start("text")), paths[-1], code


def is_of_cuda(code):
    return "namespace stoker::cuda" in code


def is_written_by_the_reader(include):
    """stoker/layers/scale.h, the example of a guide, which is in the snippet before."""
    name = re.search(r'"(.*)"', include)
    return bool(name) and not any((ROOT / folder / name[1]).exists() for folder in ("include", "src", "backends/cpu", "build/include", "tests"))


class Snippets(unittest.TestCase):
    def expect_compiles(self, text, backend="cpu", more=()):
        compiler = shutil.which("c++")
        generated = ROOT / "build" / "include"
        if not compiler or not generated.is_dir():
            self.skipTest("needs a compiler and a build")
        folders = [f"-I{folder}" for folder in (*more, generated, ROOT / "include", ROOT / "src", ROOT / "backends" / backend, ROOT / "tests")]
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-w", "-DFMT_SHARED", *folders, file.name],
                                  capture_output=True, text=True, cwd=ROOT)
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        self.assertEqual(errors, [], done.stderr[:3000])

    def test_programs_compile_as_they_stand(self):
        for where, _, code in snippets():
            if "int main" in code:
                with self.subTest(where):
                    self.expect_compiles(code)

    def test_parts_compile(self):
        includes, units = set(ALWAYS), []
        for number, snippet in enumerate(snippets()):
            if is_of_cuda(snippet[2]):
                continue
            more, unit = as_unit(*snippet, number)
            includes |= {include for include in more if not is_written_by_the_reader(include)}
            units.append(unit)
        self.expect_compiles("\n".join([*sorted(includes), *units]))

    def test_parts_of_the_cuda_backend_compile(self):
        toolkit = subprocess.run([ROOT / "tools" / "find_cuda.sh"], capture_output=True, text=True).stdout.strip()
        if not toolkit:
            self.skipTest("needs the CUDA toolkit")
        units = [as_unit(*snippet, number) for number, snippet in enumerate(snippets()) if is_of_cuda(snippet[2])]
        self.assertGreater(len(units), 1)
        includes = {include for more, _ in units for include in more}
        self.expect_compiles("\n".join([*sorted(includes), *(unit for _, unit in units)]), "cuda", [f"{toolkit}/include"])

    def test_kernels_compile(self):
        """With the emulator's headers, for one type."""
        emulator = ROOT / "tests" / "cuda_emulator"
        kernels = snippets("cuda")
        self.assertGreater(len(kernels), 0)
        for where, _, code in kernels:
            with self.subTest(where):
                text = f'#include "shim.h"\nnamespace {{\n#include "prelude.cuh"\nusing element_t = float16;\n{code}}}\n'
                self.expect_compiles(text.replace("#pragma once\n", ""), "cuda", [emulator, emulator / "kernels", ROOT / "backends" / "cuda" / "kernels"])

    def test_whole_files_are_formatted(self):
        formatter = shutil.which("clang-format-14") or shutil.which("clang-format")
        if not formatter:
            self.skipTest("needs clang-format")
        shown = list(files_shown())
        self.assertGreater(len(shown), 8)
        for where, path, code in shown:
            with self.subTest(where):
                formatted = subprocess.run([formatter, f"--assume-filename={ROOT / path}"], input=code, capture_output=True, text=True).stdout
                self.assertEqual(code, formatted)

    def test_there_are_some(self):
        self.assertGreater(len(snippets()), 10)


class Names(unittest.TestCase):
    def each(self, pattern, pages=PAGES):
        """(place, match) of a pattern in the documents."""
        for page in pages:
            text = page.read_text()
            for match in re.finditer(pattern, text):
                yield place(page, text, match.start()), match

    def test_paths_exist(self):
        missing = [f"{at}: {match[1]}" for at, match in self.each(r"`((?:%s)/[\w./<>*…-]+?)(?::\d+)?`" % "|".join(FOLDERS))
                   if not PLACEHOLDER.search(match[1]) and not (ROOT / match[1]).exists()
                   and at.split(":")[0].rsplit("/", 1)[-1] not in HISTORY]
        self.assertEqual(missing, [])

    def test_links_lead_somewhere(self):
        broken = []
        for at, match in self.each(r"\]\(([^)\s]+)\)"):
            target, _, anchor = match[1].partition("#")
            page = ROOT / at.split(":")[0]
            if "://" in target:
                continue
            file = (page.parent / target).resolve() if target else page
            headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE) if file.suffix == ".md" and file.exists() else []
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            if not file.exists() or anchor and anchor not in anchors:
                broken.append(f"{at}: {match[1]}")
        self.assertEqual(broken, [])

    def test_the_backend_guide_explains_every_entry(self):
        header = (ROOT / "src" / "device" / "backend_interface.h").read_text()
        entries = re.findall(r"\(\*(\w+)\)\(", header[header.index("uint32_t interface_version;"):])
        self.assertGreater(len(entries), 20)
        guide = (ROOT / "docs" / "add-a-backend.md").read_text().replace("`release_*`", "`release_kernel`, `release_program`")
        self.assertEqual([entry for entry in entries if f"`{entry}`" not in guide], [])

    def test_make_targets_exist(self):
        makefile = (ROOT / "Makefile").read_text()
        missing = [f"{at}: make {match[1]}" for at, match in self.each(r"`make ([a-z-]+)")
                   if not re.search(rf"^{match[1]}:", makefile, re.MULTILINE)]
        self.assertEqual(missing, [])

    def test_variables_are_read_somewhere(self):
        sources = [path for folder in (*FOLDERS, ".") for path in (ROOT / folder).glob("*" if folder == "." else "**/*")
                   if path.is_file() and path.suffix in {".h", ".cpp", ".py", ".sh", ".cmake", ".txt", ""} and path.name != "docs_test.py"]
        text = "\n".join(path.read_text(errors="ignore") for path in sources)
        missing = [f"{at}: {match[1]}" for at, match in self.each(r"`(STOKER_[A-Z_]+)") if match[1] not in text]
        self.assertEqual(missing, [])

    def test_the_layering_shown_is_that_of_the_include_checker(self):
        for path, text in architecture.files().items():
            self.assertEqual(path.read_text(), text, f"{path.relative_to(ROOT)}: tools/architecture.py --write makes it anew")
        rows = architecture.TABLE_ROW.findall((ROOT / "src" / "README.md").read_text())
        self.assertEqual({folder for _, folder in rows}, {path.name for path in (ROOT / "src").iterdir() if path.is_dir()})

    def test_files_in_the_picture_of_a_step_exist(self):
        names = re.findall(r"[a-z]+(?:/[a-z_]+)+", " ".join(re.findall(r"<text[^>]*>([^<]*)<", (ROOT / "docs" / "how-a-step-runs.svg").read_text())))
        self.assertGreater(len(names), 3)
        self.assertEqual([name for name in names if not list((ROOT / "src").glob(f"{name}.*"))], [])


class OwnFiles(unittest.TestCase):
    def test_a_program_of_a_users_own_is_not_checked(self):
        own = ROOT / "examples" / "docs_test_own_program.cpp"
        own.write_text('#include "nn/fit_data.h"\nint   main( ){int unused;}\n')
        self.addCleanup(own.unlink)
        listed = subprocess.run(["make", "--no-print-directory", "--eval=show:;@echo $(SOURCES)", "show"], cwd=ROOT,
                                capture_output=True, text=True).stdout
        if not (ROOT / ".git").exists():
            self.skipTest("needs git")
        self.assertIn("examples/own_loop.cpp", listed)
        self.assertNotIn(own.name, listed)
        self.assertEqual(check_includes.Checker(ROOT).run(), [])


if __name__ == "__main__":
    unittest.main()
