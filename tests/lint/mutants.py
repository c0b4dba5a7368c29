#!/usr/bin/env python3
"""Changes one line of a room at a time and sees whether a test notices.

    python3 mutants.py ROOM... [--count 15] [--seed 1] [--list] [--build FOLDER] [--jobs N]

ROOM is a folder of the tree, "core/plan" or "ui/models". Lines of functions are chosen by chance, the
same for the same seed and tree. A mutant swaps a comparison, a sign, a bound or a condition, shifts a
number by one, or leaves a call out. All mutants of all rooms are compiled at once, in a copy of the
committed tree: each is a copy of its function's body, taken where the environment's GANTRY_MUTANT is
its number. Every test is run once to see which mutants it reaches; then each mutant meets the tests
that reach it, its own room's first and of each the quickest first, for at most TRIED_S seconds. A
number that may as well be another one is no fault: read the survivors. By hand, not in CI.
"""

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRIED_S = 60  # of tests a mutant
MEMORY_BYTES = 16 << 30  # a wrong size must not take the machine's
SPARE = 8  # more mutants a room than are asked for, as some do not compile
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
         (r" != ", " == "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" && ", " || "),
         (r" \|\| ", " && "), (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
         (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\+= ", "-= "), (r"-= ", "+= "),
         (r"if \((?=[\w.]+(\([\w.,]*\))?\))", "if (!"),
         (r"\breturn (?!false;|nullptr;)(?=[a-z]\w*;)", "return {}; // "),
         (r"\+\+(?=\w)", "--")]
NUMBER = re.compile(r"(?<![\w.\"])(\d+)(?![\w.\"'])")
CALL = re.compile(r"^\s+[a-z_][\w.:>-]*\(.*\);$")
SKIPPED = re.compile(r"^\s*(//|#|namespace|using|template|static_assert|case |struct |class |enum )")
FUNCTION = re.compile(r"^(?!class |struct |enum |namespace |constexpr |consteval |if |for |while |switch )"
                      r"[\w:<>,&*~\[\]() ]+?\(.*\)[^=;]* \{$")
NO_VALUE = re.compile(r"^(void |(\w+::)?~?\w+\(|\w+::\w+::~?\w+\()")
UNFIT = re.compile(r"lint\.|install\.|gpu_|ui_desktop\.")  # of other things, or too long
HEADER = """// Which mutant this run is, and which mutants it reached.
#pragma once
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
inline bool gantryMutant(int number) {
    static const char* const chosen = std::getenv("GANTRY_MUTANT");
    static const int mutant = chosen ? std::atoi(chosen) : -1;
    static const char* const file = std::getenv("GANTRY_REACHED");
    static std::atomic<bool> reached[10000];
    if (file && !reached[number].exchange(true)) {
        const std::string line = std::to_string(number) + "\\n";
        const int out = ::open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
        if (::write(out, line.data(), line.size()) < 0) std::abort();
        ::close(out);
    }
    return number == mutant;
}
"""


@dataclass
class Mutant:
    room: str
    path: Path
    line: int  # from 0
    changed: str
    body: tuple = ()  # the first line of the function's body, and the line of its closing brace
    returns: bool = True

    def text(self, lines):
        return f"{self.path}:{self.line + 1}: {lines[self.line].strip()}\n    -> {self.changed.strip()}"


@dataclass
class Test:
    name: str
    command: list
    folder: str
    environment: dict
    seconds: float = 0.0
    reaches: frozenset = frozenset()


def shifted(code, number):
    """One more, or where it is an index one less, so that the array need not end there."""
    value = int(number[1])
    is_index = code[number.start() - 1] == "["
    return str(value - 1 if is_index and value > 0 else value + 1)


def changes_of(line):
    """Every form that a line may be changed to."""
    if SKIPPED.match(line) or not line.strip():
        return
    code = line.split(" //")[0]
    quoted = [range(m.start(), m.end()) for m in re.finditer(r'"(\\.|[^"\\])*"', code)]
    changes = [(m.start(), m.end(), new) for old, new in SWAPS for m in re.finditer(old, code)]
    changes += [(m.start(), m.end(), shifted(code, m)) for m in NUMBER.finditer(code)]
    if CALL.match(code):
        changes.append((len(code) - len(code.lstrip()), len(code), ";"))
    for begin, end, new in changes:
        if not any(begin in part for part in quoted):
            yield code[:begin] + new + code[end:]


def functions_of(lines):
    """Bodies of a source's functions: (first line, closing line, whether a value is returned)."""
    class_ends = 0
    for number, line in enumerate(lines):
        if re.match(r"(class|struct) \w+[^;]*$", line):
            class_ends = lines.index("};", number) if "};" in lines[number:] else 0
        indent = "    " if number < class_ends else ""  # a function of a class stands one step in
        if not re.match(indent + r"[\w~\[]", line):
            continue
        header = ""
        for end in range(number, min(number + 12, len(lines))):
            header += lines[end].strip() + " "
            if lines[end].endswith((" {", ";")):
                break
        header = re.sub(r"^((\[\[\w+\]\]|static|inline|explicit|virtual) )*", "", header.strip())
        close = next((n for n in range(end + 1, len(lines)) if lines[n] == indent + "}"), None)
        if FUNCTION.match(header) and close is not None:
            yield end + 1, close, not NO_VALUE.match(header)


def mutants_of(room):
    """Every mutant of a room's functions."""
    for path in sorted((ROOT / room).rglob("*.cpp")):
        lines = path.read_text(encoding="utf-8").split("\n")
        for first, close, returns in functions_of(lines):
            for number in range(first, close):
                for changed in changes_of(lines[number]):
                    yield Mutant(room, path.relative_to(ROOT), number, changed, (first, close), returns)


def choose(room, count, seed):
    """Some of them by chance, at most one a line."""
    every, chosen, lines = list(mutants_of(room)), [], set()
    random.Random(seed).shuffle(every)
    for mutant in every:
        if (mutant.path, mutant.line) not in lines and len(chosen) < count:
            lines.add((mutant.path, mutant.line))
            chosen.append(mutant)
    return chosen


class Copy:
    """The committed tree in a folder of its own, with its build of all mutants."""

    def __init__(self, folder, jobs):
        self.source, self.build, self.jobs = folder / "source", folder / "build", jobs
        folder.mkdir(parents=True, exist_ok=True)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True,
                              text=True).stdout.strip()
        if not self.source.exists():
            subprocess.run(["git", "worktree", "add", "-f", "--detach", str(self.source), head], cwd=ROOT,
                           check=True, capture_output=True)
        for command in (["checkout", "-q", "-f", "--detach", head], ["clean", "-q", "-f"]):
            subprocess.run(["git", *command], cwd=self.source, check=True)
        (self.source / "mutant.h").write_text(HEADER, encoding="utf-8")
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(self.source), "-B", str(self.build),
                        "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_UNITY_BUILD=ON",
                        "-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON",
                        "-DCMAKE_CXX_FLAGS=-O1 -w -D_GLIBCXX_ASSERTIONS"],
                       check=True, capture_output=True)

    def write(self, mutants):
        """Puts the mutants, by number, into their sources; returns each file's number of every line."""
        owners, by_file = {}, defaultdict(list)
        for number, mutant in mutants.items():
            by_file[mutant.path].append((mutant.body[0], number, mutant))
        for path, wanted in by_file.items():
            lines = (ROOT / path).read_text(encoding="utf-8").split("\n")
            out, owner = [f'#include "{self.source}/mutant.h"'], [None]
            for at, line in enumerate(lines):
                for _, number, mutant in (each for each in wanted if each[0] == at):
                    body = lines[at:mutant.body[1]]
                    body[mutant.line - at] = mutant.changed
                    ending = [] if mutant.returns else ["return;"]
                    block = [f"if (gantryMutant({number})) {{", *body, *ending, "}"]
                    out += block
                    owner += [number] * len(block)
                out.append(line)
                owner.append(None)
            (self.source / path).write_text("\n".join(out), encoding="utf-8")
            owners[str(self.source / path)] = owner
        return owners

    def compile(self, mutants):
        """Builds, leaving out the mutants that do not compile."""
        while True:
            owners = self.write(mutants)
            built = subprocess.run(["cmake", "--build", str(self.build), "--parallel", str(self.jobs), "--",
                                    "-k", "0"], capture_output=True, text=True, check=False)
            if built.returncode == 0:
                return
            wrong = set()
            for path, line in re.findall(r"(?:^| at )(/\S+?):(\d+)[:,]", built.stdout, re.M):
                if path in owners:
                    wrong.add(owners[path][int(line) - 1])
            wrong &= set(mutants)
            if not wrong:
                sys.exit("mutants: the tree as it is does not build\n" + built.stdout[-4000:])
            for number in wrong:
                path = mutants.pop(number).path
                (self.source / path).write_bytes((ROOT / path).read_bytes())

    def tests(self):
        listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, check=True,
                                capture_output=True, text=True)
        for test in json.loads(listed.stdout)["tests"]:
            having = {each["name"]: each["value"] for each in test["properties"]}
            if UNFIT.match(test["name"]) or "DISABLED" in having:
                continue
            environment = dict(each.split("=", 1) for each in having.get("ENVIRONMENT", []))
            yield Test(test["name"], test["command"], having["WORKING_DIRECTORY"], environment)


def passes(test, seconds, **environment):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    child = subprocess.Popen(test.command, cwd=test.folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=os.environ | test.environment | environment,
                             start_new_session=True, preexec_fn=limit)
    try:
        return child.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)  # an endless loop is noticed
        child.wait()
        return False


def look(test, folder):
    """Runs a test as it is: how long it takes and which mutants it reaches; none where it fails."""
    file = folder / test.name.replace("/", "_")
    file.unlink(missing_ok=True)
    begin = time.monotonic()
    passed = passes(test, 300, GANTRY_REACHED=str(file))
    test.seconds = time.monotonic() - begin
    if passed and file.exists():
        test.reaches = frozenset(int(line) for line in file.read_text().split())
    return passed


def is_noticed(number, mutant, tests):
    """The test that fails twice with the mutant, or nothing."""
    own = mutant.room.split("/")[-1] + "."
    reaching = sorted((t for t in tests if number in t.reaches),
                      key=lambda t: (own not in t.name, t.seconds))
    tried_s = 0.0
    for test in reaching:
        if tried_s > TRIED_S:
            break
        tried_s += test.seconds
        limit_s = 20 + 5 * test.seconds
        if not (passes(test, limit_s, GANTRY_MUTANT=str(number))
                or passes(test, limit_s, GANTRY_MUTANT=str(number))):
            return test.name
    return None


def report(room, mutants, noticed):
    numbers = [n for n, mutant in mutants.items() if mutant.room == room]
    survivors = [mutants[n] for n in numbers if not noticed[n]]
    print(f"\n{room}: {len(numbers) - len(survivors)} of {len(numbers)} noticed")
    for mutant in survivors:
        print("  survived", mutant.text((ROOT / mutant.path).read_text(encoding="utf-8").split("\n")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    chosen = [mutant for room in options.rooms
              for mutant in choose(room.rstrip("/"), options.count + SPARE, options.seed)]
    if options.list:
        for mutant in chosen:
            print(mutant.text((ROOT / mutant.path).read_text(encoding="utf-8").split("\n")))
        return 0
    mutants = dict(enumerate(chosen))
    copy = Copy(options.build.resolve(), options.jobs)
    copy.compile(mutants)
    tests = list(copy.tests())
    folder = options.build.resolve() / "reached"
    folder.mkdir(exist_ok=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        for test, passed in zip(tests, pool.map(lambda t: look(t, folder), tests)):
            if not passed:
                print("left out, fails as it is:", test.name)
        wanted = {n: m for room in options.rooms for n, m in
                  [(n, m) for n, m in mutants.items() if m.room == room.rstrip("/")][:options.count]}
        noticed = {}
        for number, test in zip(wanted, pool.map(lambda each: is_noticed(*each, tests), wanted.items())):
            noticed[number] = test
            print(f"{len(noticed)} of {len(wanted)}: {test or 'survived'}", file=sys.stderr)
    for room in options.rooms:
        report(room.rstrip("/"), wanted, noticed)
    print(f"\n{sum(map(bool, noticed.values()))} of {len(noticed)} noticed, seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
