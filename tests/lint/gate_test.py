"""What clang-tidy and check_includes read, and which tests run in which build."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
import check_includes  # noqa: E402
import run_tidy  # noqa: E402


class Includes(unittest.TestCase):
    FILES = {"core/a.h": "", "core/b.h": '#include "core/a.h"\n', "core/c.cpp": '#include "core/b.h"\n',
             "core/d.cpp": "#include <vector>\n", "app/api/gantry/e.h": "",
             "app/api/e.cpp": "#include <gantry/e.h>\n"}

    def test_a_header_touches_all_that_include_it(self):
        self.assertEqual(check_includes.touched(self.FILES, {"core/a.h"}),
                         {"core/a.h", "core/b.h", "core/c.cpp"})

    def test_a_header_of_the_surface_touches_all_that_include_it(self):
        self.assertEqual(check_includes.touched(self.FILES, {"app/api/gantry/e.h"}),
                         {"app/api/gantry/e.h", "app/api/e.cpp"})

    def test_a_source_touches_itself(self):
        self.assertEqual(check_includes.touched(self.FILES, {"core/d.cpp", "README.md"}),
                         {"core/d.cpp"})

    def test_those_that_include_a_header_are_read_where_it_lost_a_name_or_an_include(self):
        files = {"core/a.h": "#include <string>\nint f();  // old\n", "core/a.cpp": "",
                 "core/b.h": '#include "core/a.h"\n', "core/c.cpp": '#include "core/b.h"\n'}
        kept = {"core/a.h", "core/a.cpp"}
        for before in ("", "#include <string>\n"):
            self.assertEqual(check_includes.to_read(files, {"core/a.h": before}), kept)
        for before in (files["core/a.h"], "#include <string>\nint f();  // once g\n"):
            self.assertEqual(check_includes.to_read(files, {"core/a.h": before}), set())
        self.assertEqual(check_includes.to_read(
            files, {"core/a.h": "#include <vector>\nint f();\n"}), set(files))
        self.assertEqual(check_includes.to_read(files, {"core/a.h": "int f();\nint g();\n"}), kept)
        for user in ("core/b.h", "core/c.cpp"):
            self.assertEqual(check_includes.to_read(
                files | {user: files[user] + "int h = g();\n"},
                {"core/a.h": "int f();\nint g();\n"}), kept | {user})
        self.assertEqual(check_includes.to_read(files, {"core/gone.h": "int g();\n",
                                                        "core/c.cpp": ""}), {"core/c.cpp"})

    def test_a_header_that_has_a_lost_name_is_read_by_its_source(self):
        files = {"core/a.h": "", "core/b.h": '#include "core/a.h"\nusing B = A;\n',
                 "core/b.cpp": '#include "core/b.h"\n', "core/c.cpp": '#include "core/b.h"\n'}
        self.assertEqual(check_includes.to_read(files, {"core/a.h": "struct A {};\n"}),
                         {"core/a.h", "core/b.h", "core/b.cpp"})

    def test_flags_by_which_sources_choose_what_they_include_change_all(self):
        same = ("--- a/CMakeLists.txt\n+++ b/CMakeLists.txt\n-# The headers of Qt\n+# All headers\n"
                "+find_package(PNG REQUIRED)\n-  gantry_flag(-O1)\n")
        self.assertFalse(check_includes.changes_includes(same))
        for line in ("-  list(APPEND headers ${folder}/json.h)", "+add_compile_options(-DGANTRY_X)",
                     "+target_compile_definitions(gantry_flags INTERFACE A=1)",
                     "-set(CMAKE_CXX_STANDARD 20)"):
            self.assertTrue(check_includes.changes_includes(same + line + "\n"), line)

    def test_headers_without_a_source_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "a_headers_verify_interface_header_sets/core/a/b.h.cxx"
            (Path(folder) / "compile_commands.json").write_text(json.dumps(
                [{"file": str(text), "command": f"c++ -O2 -o b.o -c {text}"}]), encoding="utf-8")
            self.assertEqual(list(check_includes.commands(Path(folder))),
                             [("core/a/b.h", f"c++ -O2 -fsyntax-only {text}")])


class MergedUnits(unittest.TestCase):
    def groups(self, texts):
        """Names of the sources that are read together."""
        with tempfile.TemporaryDirectory() as folder:
            entries = []
            for name, text in texts.items():
                path = Path(folder) / name
                path.write_text(text.replace("FOLDER", folder), encoding="utf-8")
                entries.append({"file": str(path), "directory": folder,
                                "command": f"/usr/bin/ccache c++ -DA={name} -O2 -o x -c {path}"})
            units = [run_tidy.Unit(entry) for entry in entries if entry["file"].endswith(".cpp")]
            return [[Path(source.file).name for source in group]
                    for group in run_tidy.groups_of(units)]

    def test_sources_that_define_the_same_name_are_read_apart(self):
        texts = {"a.cpp": "constexpr int kSame = 1;\nint f(int a) {\n", "b.cpp": "struct B {\n",
                 "c.cpp": "const long kSame[] = {1};\n", "d.cpp": "double f(double b) {\n",
                 "e.cpp": "int f(int b) {\nstruct C;\n"}
        self.assertEqual(self.groups(texts), [["a.cpp", "b.cpp", "d.cpp"], ["c.cpp", "e.cpp"]])

    def test_sources_may_have_the_same_name_for_the_same(self):
        texts = {"a.cpp": "using Json = x::json;\n", "b.cpp": "using Json = x::json;\n",
                 "c.cpp": "using Json = x::other;\n", "d.cpp": "using x::Json;\n"}
        self.assertEqual(self.groups(texts), [["a.cpp", "b.cpp"], ["c.cpp"], ["d.cpp"]])

    def test_a_name_that_hides_that_of_a_header_is_read_apart(self):
        texts = {"a.h": "struct Answer {\n[[nodiscard]] int ask(int a);\n",
                 "b.h": '#include "FOLDER/a.h"\n', "a.cpp": '#include "FOLDER/b.h"\n',
                 "b.cpp": "struct Answer {\n", "c.cpp": "int ask(long b) {\n",
                 "d.cpp": '#include "FOLDER/a.h"\nint ask(int a) {\n'}
        self.assertEqual(self.groups(texts), [["a.cpp", "d.cpp"], ["b.cpp", "c.cpp"]])

    def test_what_a_source_says_by_itself_counts(self):
        said = {}

        def tidy(_, group, name):
            readings.append(name)
            return subprocess.CompletedProcess([], *said.get(tuple(group), (0, "", "")))

        a, b = (run_tidy.Source(f"/nowhere/{name}.cpp", None) for name in "ab")
        for text, names in (("/nowhere/a.cpp:1:1: error: x\n", ["m", "m_of0"]),
                            ("/nowhere/a.h:1:1: error: x\n", ["m", "m_0", "m_1"]),
                            ("", ["m", "m_0", "m_1"])):
            readings = []
            said[a, b] = (1, text, "")
            with unittest.mock.patch.object(run_tidy, "tidy", tidy):
                self.assertEqual(run_tidy.find(None, [a, b], "m"), [])
                self.assertEqual(readings, names)
        said[a,] = (1, "found", "")
        with unittest.mock.patch.object(run_tidy, "tidy", tidy):
            self.assertEqual(run_tidy.find(None, [a, b], "m"), ["found"])


class Gate(unittest.TestCase):
    ROOT = Path(__file__).resolve().parents[2]
    SCRIPT = (ROOT / ".ci/run").read_text(encoding="utf-8")

    def test_tests_that_passed_only_at_the_second_try_are_named(self):
        function = re.search(r"^report_second_tries\(\) \{.*?^\}", self.SCRIPT, re.MULTILINE | re.DOTALL)[0]
        lines = {"cli.late": "***Failed   12.0 sec", "cli.slow": "***Timeout 200.1 sec",
                 "io.0": "Subprocess aborted***Exception:   0.1 sec", "cli.good": "   Passed    1.0 sec",
                 "gpu.0": "***Skipped   0.0 sec"}
        for named, text in (("", ""), ("passed only at the second try: cli.late, cli.slow, io.0\n", "".join(
                f" 4/97 Test   #36: {name} .......{end}\n" for name, end in lines.items()))):
            with tempfile.NamedTemporaryFile("w") as log:
                log.write(text + text)
                log.flush()
                done = subprocess.run(["bash", "-c", f"tests_log={log.name}\n{function}\nreport_second_tries"],
                                      capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, named)

    def test_what_the_sanitised_build_leaves_out_runs_in_the_release_build(self):
        text = self.SCRIPT

        def value_of(name):
            return "".join(re.findall(rf"^{name}\+?='(.*)'$", text, re.MULTILINE))

        rooms = set(re.findall(r"\w+", value_of("release_rooms") + " "
                               + value_of("rooms_left_to_release")))
        left = value_of("left_to_release").split(":")
        self.assertGreater(len(left), 5)
        for pattern in left:
            suite, _, test = pattern.partition(".")
            words = suite.split("/")[-1].replace("*", r"\w*"), test.split("/")[0].rstrip("*")
            begin = re.compile(r"^TEST(_F|_P)?\(%s,\s*%s" % words, re.MULTILINE)
            found = {path.parent.name for path in (self.ROOT / "tests/core").glob("*/*.cpp")
                     if begin.search(path.read_text(encoding="utf-8"))}
            self.assertTrue(found, pattern)
            self.assertLessEqual(found, rooms, pattern)


if __name__ == "__main__":
    unittest.main()
