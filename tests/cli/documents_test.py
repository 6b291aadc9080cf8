"""The commands and options that the documents name exist, and the program's help says what they are."""
import functools
import re
import subprocess
import unittest

from program import PROGRAM, ROOT

PAGES = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")) if path.name != "CHANGELOG.md"]
# Of other programs that the documents tell to run.
OTHERS = {"--bind-to", "--build", "--preset", "--target", "--gtest_filter", "--only", "--peer", "--skip-peers", "--repeat"}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], text=True, capture_output=True, timeout=60)


@functools.cache
def commands():
    return re.findall(r"^  ([a-z]+)  ", run("--help").stdout.split("ubcommands:")[1].split("Examples:")[0], re.MULTILINE)


@functools.cache
def help_of(command):
    return run(command, "--help").stdout


def options_of(command):
    return set(re.findall(r"--[a-z][a-z-]*", help_of(command)))


def lines():
    """(place, line) of the documents; lines that end in a backslash are one."""
    for page in PAGES:
        text = page.read_text().replace("\\\n", "")
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{page.relative_to(ROOT)}:{number}", line


class DocumentsTest(unittest.TestCase):
    def test_commands_take_the_options_that_are_shown(self):
        wrong = []
        for place, line in lines():
            for command, rest in re.findall(r"(?:^|`|build/|cuda/|[$] )stoker ([a-z]+)\b([^`|]*)", line):
                if command not in commands():
                    wrong.append(f"{place}: stoker {command}")
                    continue
                wrong += [f"{place}: stoker {command} {option}" for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)
                          if option not in options_of(command)]
        self.assertEqual(wrong, [])

    def test_options_exist(self):
        known = set().union(*(options_of(command) for command in commands())) | OTHERS
        wrong = [f"{place}: {option}" for place, line in lines()
                 for option in re.findall(r"`(--[a-z][a-z_-]*)", line) if option not in known]
        self.assertEqual(wrong, [])


class HelpTest(unittest.TestCase):
    def test_every_command_has_an_example_of_its_own(self):
        for command in commands():
            with self.subTest(command):
                text = help_of(command)
                self.assertIn(f"stoker {command}", text.split("Example")[-1])
                self.assertLessEqual(len(re.findall(r"^  stoker ", text, re.MULTILINE)), 2)

    def test_options_take_what_is_said_in_words(self):
        for command in commands():
            with self.subTest(command):
                text = help_of(command)
                self.assertNotRegex(text, r"\b(TEXT|INT|FLOAT|FROM|POSITIVE)\b| in \[|[A-Z]:[A-Z{]")
                self.assertEqual(len(re.findall(r"^options:", text, re.MULTILINE | re.IGNORECASE)), 1)

    def test_options_say_what_they_are_and_their_default(self):
        text = re.sub(r"\s+", " ", help_of("train"))
        for words in ("number of epochs (default: 1)", "one line per epoch (default", "number of samples in a step",
                      "seed of shuffling, dropout and other random numbers (default", "validate after every so many epochs (default: 1)"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
