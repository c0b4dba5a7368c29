#!/usr/bin/env python3
"""Changes one line of a room at a time and sees whether a test notices.

    python3 mutants.py ROOM [--count 15] [--seed 1] [--list] [--build FOLDER] [--jobs N]

ROOM is a folder of the tree, "core/plan" or "ui/models". Lines are chosen by chance, the same for the
same seed and tree. A mutant swaps a comparison, a sign, a bound or a condition, shifts a number by
one, or leaves a call out. It is built and tested in a copy of the committed tree, where one build
folder serves all mutants: the room's own tests first, then those of the rooms above it. Prints how
many were noticed, and every survivor: read these, some change nothing that anybody could see. By
hand, not in CI: a mutant takes a minute or so.
"""

import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SWAPS = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
         (r" != ", " == "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" && ", " || "),
         (r" \|\| ", " && "), (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
         (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\+= ", "-= "), (r"-= ", "+= "),
         (r"if \((?=[\w.]+(\([\w.,]*\))?\))", "if (!"), (r"\breturn (?=[a-z]\w*;)", "return {}; // "),
         (r"\+\+(?=\w)", "--")]
NUMBER = re.compile(r"(?<![\w.\"])(\d+)(?![\w.\"'])")
CALL = re.compile(r"^\s+[a-z_][\w.:>-]*\(.*\);$")
SKIPPED = re.compile(r"^\s*(//|#|namespace|using|template|static_assert|case |struct |class |enum )")


def shifted(code, number):
    """One more, or where it is an index one less, so that the array need not end there."""
    value = int(number[1])
    is_index = code[number.start() - 1] == "["
    return str(value - 1 if is_index and value > 0 else value + 1)


def mutants_of(path):
    """Every mutant of a file: (line number, the line as changed)."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if SKIPPED.match(line) or not line.strip():
            continue
        code = line.split(" //")[0]
        quoted = [range(m.start(), m.end()) for m in re.finditer(r'"(\\.|[^"\\])*"', code)]
        changes = [(m.start(), m.end(), new) for old, new in SWAPS for m in re.finditer(old, code)]
        changes += [(m.start(), m.end(), shifted(code, m)) for m in NUMBER.finditer(code)]
        if CALL.match(code):
            changes.append((len(code) - len(code.lstrip()), len(code), ";"))
        for begin, end, new in changes:
            if not any(begin in part for part in quoted):
                found.append((number, code[:begin] + new + code[end:]))
    return found


def choose(room, count, seed):
    """More candidates than are wanted, in the order in which they are to be tried."""
    every = [(path, number, line) for path in sorted((ROOT / room).rglob("*.cpp"))
             for number, line in mutants_of(path)]
    random.Random(seed).shuffle(every)
    lines = set()  # at most one mutant a line
    for path, number, line in every:
        if (path, number) not in lines:
            lines.add((path, number))
            yield path.relative_to(ROOT), number, line


def run(command, folder, seconds):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds,
                              text=True, check=False).returncode
    except subprocess.TimeoutExpired:
        return 1  # an endless loop is noticed


class Copy:
    """The committed tree in a folder of its own, with its build."""

    def __init__(self, folder, room, jobs):
        self.source, self.build, self.jobs = folder / "source", folder / "build", jobs
        if not self.source.exists():
            subprocess.run(["git", "worktree", "add", "--detach", str(self.source)], cwd=ROOT,
                           check=True, capture_output=True)
        subprocess.run(["git", "checkout", "-q", "--detach",
                        subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True,
                                       capture_output=True, text=True).stdout.strip()],
                       cwd=self.source, check=True)
        layer, _, name = room.partition("/")
        self.own = f"^(ui_)?{name.split('/')[0]}\\."
        core_only = "ON" if layer == "core" else "OFF"
        options = [f"-DGANTRY_CORE_ONLY={core_only}", "-DCMAKE_BUILD_TYPE=None",
                   "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_UNITY_BUILD=OFF"]
        if run(["cmake", "-G", "Ninja", "-S", str(self.source), "-B", str(self.build), *options],
               folder, 600) != 0 or not self.compiles():
            sys.exit("mutants: the tree as it is does not build")

    def compiles(self):
        return run(["cmake", "--build", str(self.build), "--parallel", str(self.jobs)], self.build,
                   7200) == 0

    def passes(self):
        tests = ["ctest", "--parallel", str(self.jobs), "--stop-on-failure", "--timeout", "120"]
        return (run(tests + ["-R", self.own], self.build, 1800) == 0
                and run(tests + ["-E", self.own + "|^lint\\.|ImageQuality"], self.build, 3600) == 0)

    def write(self, path, lines):
        (self.source / path).write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("room")
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutants")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    candidates = choose(options.room.rstrip("/"), options.count, options.seed)
    if options.list:
        for (path, number, line), _ in zip(candidates, range(options.count)):
            print(f"{path}:{number}: {line.strip()}")
        return 0
    options.build.mkdir(parents=True, exist_ok=True)
    copy = Copy(options.build, options.room, options.jobs)
    if not copy.passes():
        sys.exit("mutants: the tests do not pass as they are")
    noticed, survivors = 0, []
    for path, number, line in candidates:
        if noticed + len(survivors) == options.count:
            break
        before = (copy.source / path).read_text(encoding="utf-8").split("\n")
        copy.write(path, before[:number - 1] + [line] + before[number:])
        if copy.compiles():
            if copy.passes():
                survivors.append(f"{path}:{number}: {before[number - 1].strip()}\n    -> {line.strip()}")
                print("survived", survivors[-1], flush=True)
            else:
                noticed += 1
                print(f"noticed {path}:{number}: {line.strip()}", flush=True)
        copy.write(path, before)
    print(f"mutants: {noticed} of {noticed + len(survivors)} noticed in {options.room}, "
          f"seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
