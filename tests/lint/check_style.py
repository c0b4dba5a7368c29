#!/usr/bin/env python3
"""Checks the rules of style that neither the compiler nor the clang tools check.

    python3 check_style.py [ROOT]

Files of about 400 lines, functions of 60, no tabs, #pragma once in headers, a source's own header first, snake_case
names, no notes of work to be done, named tests that are there, words of options listed once, texts that
can be translated, and nothing at the top level that does not belong there. Prints one line for each fault,
"file:line: sentence", and exits 1 when there is any.
Tests: tests/lint/lint_test.py
"""

import re
import sys
from pathlib import Path

MAX_LINES = 450  # about 400, split by purpose and not where the count says
LAYERS = ("app", "core", "gpu", "ui", "tests")
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "app", "core", "gpu",
             "packaging", "resources", "tests", "ui"}
GENERATED = re.compile(r"build(-.*)?$|compile_commands\.json$")
SOURCE_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\.(h|cpp|cu|cuh|py)")
FOLDER_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CODE = {".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")  # style: names the words it looks for
NAMED_TEST = re.compile(r"tests/[a-z0-9_/]+(?:\.[a-z]+)?(?=[\s,;)]|\.?$)")
# The words of a choice stand in one table of FieldWord, in the place that owns them, from which files,
# command line, manual and desktop take them. Types have their names from an enum.
WORD_TABLE = re.compile(r"\b(?:FieldWord|std::array<FieldWord, \w+>)\s+(k\w+)(?:\[\])?\s*=\s*\{(.*?)\};",
                        re.DOTALL)
TABLE_PART = re.compile(r'"((?:[^"\\]|\\.)*)"|[{},]|[^\s"{},]+')
ALSO_LISTED = {"float32", "uint16", "uint8", "Shepp-Logan"}
# These mean other things as well: two of a table beside each other are looked for.
OTHER_MEANINGS = set("""air attenuation auto bottom cancelled clockwise cone counter-clockwise counts cpu
    cylinder done exact failed fast gather gone gpu ignored image left map none nothing off parallel path
    plane preview right rows rtk running shepp-logan slurm there top used volume""".split())
# Answers to a description's questions, and the states of a job here, are words of their own.
OTHER_LISTS = {"core/describe/description_sheet.cpp", "core/job/event_log.cpp"}
ENGINES = re.compile(r'"(?:cpu|gpu)"\s*[,:]\s*"(?:cpu|gpu)"')
# Kernels are listed by their engine; names that mean other things as well are not looked for.
KERNEL_LISTS = ("gpu/engine/cone_kernel.cpp", "core/cpu/cpu_backend.cpp")
KERNEL = re.compile(r'\{\{"([a-z0-9-]+)"')
OTHER_KERNELS = {"columns", "stack", "standard", "tile"}
OF_KERNELS = ("gpu/engine", "core/cpu", "core/plan")
# lupdate sees a text only where it stands in the call; those of core's tables go by optionText().
UNSEEN_TEXT = re.compile(r'\btr\(\s*(?!\s|"|R"|const char\*)')
COMMENT = re.compile(r"//.*")
LIMIT_NAME = re.compile(r"\bk(Most|Least|Fewest)(?![a-z])\w*")
# These are zero where texts are equal, which a condition hides.
C_COMPARISON = re.compile(r"\b(?:mem|wcs|strn?(?:case)?)cmp\(")
# Asked so, they throw an exception that names no file of the user's where no file can have the name.
THROWING_QUESTION = re.compile(r"\b(?:std::filesystem|fs)::(exists|is_regular_file|is_directory)"
                               r"\((?!.*(?:,|status))")
CHANGING_ASSERTION = re.compile(r"\bassert\(.*(\+\+|--|(?<![=!<>])=(?!=))")
COMMENT_LINE = re.compile(r"\s*//[/<!]*\s*(.*)")
SCRIPT_COMMENT = re.compile(r'\s*(?:#+|""")\s*(.*)')
# A comment that begins so, or goes on so after a full stop, says nothing without the code below it.
NO_SENTENCE = re.compile(r"(^|[.] )(Of|As)\b(?! (?:soon|a rule|much|well|long)\b)")
# Words that a comment replaces by the field's own or the programmer's usual one.
WORDS = {"dealer": "scheduler", "dealt": "assigned", "foretold": "predicted", "feeder": "producer warp",
         "pace": "throughput or rate", "sight": "camera, viewpoint or viewport"}
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.IGNORECASE)
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
# The same words as parts of a name: kPace, assert_dealt.
NAME_PART = re.compile(r"(?<![a-zA-Z])(%s)(?![a-z])|(?<![A-Z])(%s)(?![a-z])" %
                       ("|".join(WORDS), "|".join(word.capitalize() for word in WORDS)))
INCLUDE = re.compile(r'#include [<"]([^>"]+)[>"]')
MAX_FUNCTION_LINES = 60
# Braces in these are none of the code's.
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*', re.DOTALL)
# What stands before the brace of a function's body, and what begins another kind of block.
BEFORE_BODY = re.compile(r"(\)|\bconst|\boverride|\bfinal|\bnoexcept|\bmutable|->\s*[\w:<>,&* ]+)\s*$")
OTHER_BLOCK = re.compile(r"(?:template\s*<.*>\s*)?(?:\} else )?"
                         r"(namespace|class|struct|enum|union|extern|if|for|while|switch|catch)\b")


def check_top_level(root):
    for entry in sorted(root.iterdir()):
        name = entry.name
        if name not in TOP_LEVEL and not name.startswith(".") and not GENERATED.match(name):
            yield entry, 1, "does not belong at the top level"


def check_names(root):
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if "__pycache__" in path.parts:
                continue
            if path.is_dir() and not FOLDER_NAME.fullmatch(path.name):
                yield path, 1, "a folder's name is snake_case"
            elif path.suffix.lower() in {".h", ".hpp", ".hh", ".cpp", ".cc", ".cxx", ".cu", ".cuh",
                                         ".py"} and not SOURCE_NAME.fullmatch(path.name):
                yield path, 1, "a source's name is snake_case with .h, .cpp, .cu, .cuh or .py"
            elif path.name.endswith("_texts.h"):
                yield path, 1, "texts stand where they are shown, or in the row of their option"


def check_own_header(root, path, lines):
    """So that each header is seen to compile with nothing before it."""
    own = path.with_suffix(".h")
    if path.suffix != ".cpp" or not own.exists():
        return
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            if include[1] != str(own.relative_to(root)):
                yield path, number, f"a source includes its own header first: {own.name}"
            return


def check_named_tests(root, path, lines):
    """Those that a declaration names are there."""
    for number, line in enumerate(lines, 1):
        for name in NAMED_TEST.findall(line):
            if not (root / name).exists():
                yield path, number, f"there is no {name}"


def check_words(path, lines, is_test):
    """Limits are max and min; comments begin with a subject or a verb, and use the usual words."""
    in_comment = False
    for number, line in enumerate(lines, 1):
        if name := LIMIT_NAME.search(line):
            yield path, number, f"{name[0]}: limits are called kMax… and kMin…"
        if not is_test and (call := C_COMPARISON.search(line)):
            yield path, number, f"{call[0]}…) is zero for what is equal: compare a std::string_view or" \
                " by std::ranges::equal"
        if not is_test and (call := THROWING_QUESTION.search(line)):
            yield path, number, f"{call[1]}() throws where no file can have the name: ask core/base/file.h"
        if CHANGING_ASSERTION.search(line):
            yield path, number, "an assertion changes something: releases leave it out"
        comment = COMMENT_LINE.match(line)
        yield from check_sentences(path, number, comment and comment[1], in_comment)
        in_comment = bool(comment)
        if comment and (word := WORD.search(comment[1])):
            yield path, number, f"'{word[0]}' in a comment: say {WORDS[word[0].lower()]}"
        if name := NAME_PART.search(TEXT.sub('""', COMMENT.sub("", line))):
            yield path, number, f"'{name[0]}' in a name: say {WORDS[name[0].lower()]}"


def check_sentences(path, number, comment, goes_on):
    """comment: the text of a line; goes_on: the line before is of the same comment"""
    begun = comment and NO_SENTENCE.search(comment)
    if begun and (begun[1] or not goes_on):
        yield path, number, f"a sentence of the comment begins with '{begun[2]}': say of what, with a" \
            " subject"


def check_script_words(path, lines):
    """Comments and docstrings of scripts begin with a subject or a verb, too."""
    goes_on = False
    for number, line in enumerate(lines, 1):
        comment = SCRIPT_COMMENT.match(line)
        yield from check_sentences(path, number, comment and comment[1], goes_on)
        goes_on = bool(comment)


def check_functions(path, lines):
    """Functions that are too long to be read at once."""
    text = NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), "\n".join(lines))
    opened = []
    line = 1
    statement = ""
    for part in re.split(r"([{};\n])", text):
        if part == "{":
            body = BEFORE_BODY.search(statement) and not OTHER_BLOCK.match(statement.strip())
            opened.append(line if body else None)
        elif part == "}" and opened:
            begin = opened.pop()
            if begin and line - begin > MAX_FUNCTION_LINES:
                yield path, begin, f"a function has at most {MAX_FUNCTION_LINES} lines: this one has" \
                    f" {line - begin}"
        line += part == "\n"
        statement = "" if part in "{};" and part else statement + part


def check_file(root, path):
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[-1] != "":
        yield path, len(lines), "the last line does not end"
    if len(lines) - 1 > MAX_LINES:
        yield path, len(lines) - 1, f"a file has about 400 lines, at most {MAX_LINES}: split it by purpose"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield path, number, "a tab: indent with spaces"
        if UNFINISHED.search(line) and "# style:" not in line:
            yield path, number, "work left to be done: finish it or leave it out"
    if path.suffix in {".h", ".cuh"}:
        code = [line for line in lines if line.strip() and not line.startswith("//")]
        if not code or code[0] != "#pragma once":
            yield path, 1, "a header begins with #pragma once"
        yield from check_named_tests(root, path, lines)
    if path.suffix in {".py", ".sh", ".cmake"}:
        yield from check_script_words(path, lines)
    if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
        is_test = path.relative_to(root).parts[0] == "tests"
        yield from check_words(path, lines, is_test)
        if path.suffix in {".h", ".cpp"} and not is_test:
            yield from check_functions(path, lines)
    yield from check_own_header(root, path, lines)


def words_of(body):
    """The words of a table of FieldWord: the first text of each entry."""
    words, depth, place = [], 0, 0
    for part in TABLE_PART.finditer(body):
        if part[0] == "{":
            depth, place = depth + 1, 0
        elif part[0] == "}":
            depth -= 1
        elif part[0] == ",":
            place = place + 1 if depth else 0
        elif part[1] and place == 0:
            words.append(part[1])
    return words


def word_tables(texts):
    """The tables of words, as (file, first line, last line, words)."""
    for path, text in texts.items():
        for table in WORD_TABLE.finditer(text):
            yield (path, text.count("\n", 0, table.start()) + 1, text.count("\n", 0, table.end()) + 1,
                   words_of(table[2]))


def check_lists(root):
    """Words that are listed once."""
    texts = {path: "\n".join(COMMENT.sub("", line)
                             for line in path.read_text(encoding="utf-8").split("\n"))
             for layer in ("core", "gpu", "ui", "app") for path in sorted((root / layer).rglob("*"))
             if path.suffix in {".h", ".cpp", ".cu", ".cuh"}}
    tables = list(word_tables(texts))
    owners = {}
    for path, _, _, words in tables:
        for word in words:
            owners.setdefault(word, []).append(path)
    owners = {word: files for word, files in owners.items() if word not in OTHER_MEANINGS}
    owners.update({word: [] for word in ALSO_LISTED})
    listed = re.compile('"(%s)"' % "|".join(map(re.escape, owners)))
    kernels = {name for file in KERNEL_LISTS for name in KERNEL.findall(texts.get(root / file, ""))}
    kernels = re.compile('"(%s)"' % "|".join(map(re.escape, kernels - OTHER_KERNELS or {" "})))
    pairs = [(re.compile(r'"(?:{0})",\s*"(?:{0})"'.format("|".join(map(re.escape, words)))), *table)
             for *table, words in tables if len(words) > 1]
    for path, text in texts.items():
        def line_of(found, text=text):
            return text.count("\n", 0, found.start()) + 1
        for found in listed.finditer(text):
            files = owners[found[1]]
            if not files:
                files.append(path)
            if path not in files:
                yield (path, line_of(found),
                       f"{found[0]} stands in {files[0].relative_to(root)}: take it from there")
        for pair, owner, begin, end in pairs:
            for found in pair.finditer(text):
                is_table = owner == path and begin <= line_of(found) <= end
                if not is_table and str(path.relative_to(root)) not in OTHER_LISTS:
                    yield (path, line_of(found),
                           f"{found[0]} stand in {owner.relative_to(root)}: take them from there")
        for found in ENGINES.finditer(text):
            yield (path, line_of(found),
                   "the engines stand in core/job/job_fields.h: take them from there")
        for found in kernels.finditer(text):
            if str(path.parent.relative_to(root)) not in OF_KERNELS:
                yield (path, line_of(found),
                       f"the kernel {found[1]} is listed by its engine: take it from there")
        for found in UNSEEN_TEXT.finditer(text) if path.relative_to(root).parts[0] == "ui" else ():
            yield (path, line_of(found), "tr() takes a text in quotes, which can be translated")


def check(root):
    """Every fault under root, as (file, line, sentence)."""
    faults = list(check_top_level(root)) + list(check_names(root)) + list(check_lists(root))
    for layer in LAYERS + ("packaging",):
        for path in sorted((root / layer).rglob("*")):
            if path.is_file() and (path.suffix in CODE or path.name == "CMakeLists.txt"):
                faults += check_file(root, path)
    return faults


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    faults = check(root)
    for path, number, sentence in faults:
        print(f"{path.relative_to(root)}:{number}: {sentence}")
    print(f"style: {len(faults)} faults" if faults else "style: nothing to mend")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
