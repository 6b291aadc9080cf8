"""The functions and files that a step of fit executes in the steady state, in order.

gdb -q -batch -x bench/step_walk.py build/bench/step_walk     STOKER_DEVICE chooses the device, as always.
Lets build/bench/step_walk submit some steps, then sets a breakpoint at every function of the step loop, the feed, the
compiled step, the device layer and the backend, except the CPU's kernels and their threads, and records which are reached
while two more groups of steps are submitted. A function is looked up in the
sources by its name, as the release build has no line numbers (of overloads it may name the wrong one); inlined functions are not seen. Under a
debugger input takes long, so that the loop checks whether the device is busy, as it otherwise does once in a hundred steps: those functions are listed separately.
"""
import pathlib
import re
import subprocess

import gdb

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST, MORE = 4, 2  # groups of steps: those that are not traced, and those that are
STEPS = 1900
WATCHED = re.compile(r"stoker::(nn::(StepLoop|check_|BatchCalls|StepsPerLaunch|Progress|\(anonymous namespace\)::FitRun)|data::(ArrayFeed|FeedPlan|StreamSlots)|"
                     r"exec::CompiledStep|device::|ledger::|host_call|interrupted|FlushDenormals|cuda::|"
                     r"cpu::(\(anonymous namespace\)::run_program|Program|Profile))")


def without_brackets(name):
    """Without arguments of templates and functions."""
    name = name.replace("(anonymous namespace)::", "")
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]", "", name)) != name:
        name = shorter
    return name.removesuffix(" const").strip()


class Sources:
    def __init__(self):
        files = [file for folder in ("src", "backends") for file in sorted((ROOT / folder).rglob("*"))
                 if file.suffix in {".h", ".cpp"} and not file.stem.endswith("_test")]
        self.texts = {str(file.relative_to(ROOT)): file.read_text() for file in files}

    @staticmethod
    def folder_of(namespace):
        return {"cpu": "backends/cpu/", "cuda": "backends/cuda/"}.get(
            namespace, f"src/{namespace}/" if namespace and (ROOT / "src" / namespace).is_dir() else "src/")

    def find(self, name):
        """The files that may define a function, judging by its name."""
        parts = [part for part in without_brackets(name).split("::")
                 if part and "{" not in part and part not in {"operator", "_FUN"} and not part.startswith("N_")]
        folder = self.folder_of(parts[1] if len(parts) > 2 else "")
        places = [file for file in self.texts if file.startswith(folder)]
        for depth in (2, 1):  # Class::function, then function
            if len(parts) <= depth:
                continue
            text = "::".join(map(re.escape, parts[-depth:]))
            for kind in (rf"^(\w[^\n;=(]*)?(?<![\w~]){text}\([^;]*\{{", rf"^\s+[\w:<>&*,\s~]*(?<![\w~]){text}\([^;]*\{{"):
                hits = [file for file in places if re.search(kind, self.texts[file], re.MULTILINE)]
                if depth == 1 and len(parts) > 2 and parts[-2][0].isupper():  # inside its class
                    hits = [file for file in hits if re.search(rf"(class|struct) {parts[-2]}\b[^;]*\{{", self.texts[file])]
                if hits:
                    return hits
        return ["?"]

    def places_of(self, functions):
        """{function: file}; of overloads in several files, the one in a file that is on the path anyway."""
        found = {function: self.find(function) for function in functions}
        certain = {files[0] for files in found.values() if len(files) == 1}
        return {function: next((file for file in files if file in certain), files[0]) for function, files in found.items()}


def functions_of(path):
    """(address, name) of Stoker's functions in a program or plugin."""
    listed = subprocess.run(["nm", "-C", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        found = re.match(r"([0-9a-f]+) [tTwW] (stoker::.*)$", line)
        if found and WATCHED.match(found[2]) and "[clone .cold]" not in found[2]:
            yield int(found[1], 16), found[2]


def loaded():
    """{path: its address in memory}"""
    bases = {}
    for line in open(f"/proc/{gdb.selected_inferior().pid}/maps"):
        parts = line.split()
        if len(parts) > 5 and re.search(r"libstoker_\w+\.so$|bench/step_walk$", parts[5]):
            bases.setdefault(parts[5], int(parts[0].split("-")[0], 16))
    return bases


class Watch(gdb.Breakpoint):
    passed, aside = {}, {}  # in the order of the first time
    is_asking = False  # whether the device is busy

    def stop(self):
        if "StepLoop::" in self.function:
            Watch.is_asking = "device_is_busy" in self.function
        (Watch.aside if Watch.is_asking else Watch.passed).setdefault(self.function, None)
        return False


def main():
    gdb.execute("set pagination off")
    gdb.execute("handle SIGSEGV nostop noprint pass")  # the emulated GPU's memory
    group = gdb.Breakpoint("stoker::nn::StepLoop::hand_over")
    group.ignore_count = FIRST
    gdb.execute(f"run {STEPS}", to_string=True)
    here = gdb.selected_frame().pc()
    for path, base in loaded().items():
        for address, function in functions_of(path):
            if base + address != here:
                Watch(f"*{base + address}", internal=True).function = function
    group.ignore_count = MORE
    gdb.execute("continue", to_string=True)
    places = Sources().places_of(Watch.passed | Watch.aside)
    for function in Watch.passed:
        print(f"{places[function]:58} {without_brackets(function)}")
    print(f"{len({places[function] for function in Watch.passed})} files")
    print("and where input takes more than 20 us, to see whether the device is busy:")
    for function in Watch.aside:
        print(f"{places[function]:58} {without_brackets(function)}")
    gdb.execute("kill", to_string=True)


main()
