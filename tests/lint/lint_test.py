"""Plants violations in a small tree and sees that each one is found, and nothing else."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True  # the source tree stays as it is
import check_commits  # noqa: E402
import check_rooms  # noqa: E402
import check_style  # noqa: E402

ROOMS = "# a comment\nbase:\ngeometry: base\nio: geometry\nfilter: geometry\n" \
    "gpu/kernels:\ngpu/engine: base gpu/kernels\nui/scene: base\nui/panels: ui/scene\n" \
    "ui/panels/*: shared\napp/wiring: gpu/engine\napp/cli: io app/wiring\n"
CLEAN = {
    "CMakeLists.txt": "\n",
    "tests/lint/rooms.txt": ROOMS,
    "core/base/error.h": "#pragma once\n\n#include <string>\n",
    "core/geometry/grid.h": '#pragma once\n#include "core/base/error.h"\n',
    "core/io/tiff.cpp": ('#include "core/io/tiff.h"\n'
                         '#include "core/geometry/grid.h"\n#include <tiffio.h>\n'),
    "core/filter/ramp.cpp": '#include <fmt/format.h>\n#include "core/base/error.h"\n',
    "app/main.cpp": '#include "core/io/tiff.h"\n#include "gpu/kernels/add.h"\n',
    "core/io/tiff.h": "#pragma once\n",
    "gpu/kernels/add.h": "#pragma once\n#include <cuda_runtime.h>\n",
    "gpu/engine/engine.cpp": ('#include "gpu/engine/engine.h"\n'
                              '#include "core/base/error.h"\n#include "gpu/kernels/add.h"\n'),
    "gpu/engine/engine.h": "#pragma once\n",
    "app/wiring/wiring.h": '#pragma once\n#include "gpu/engine/engine.h"\n',
    "app/cli/run.h": '#pragma once\n#include "app/wiring/wiring.h"\n',
    "ui/panels/window.cpp": '#include "ui/panels/window.h"\n#include <QMainWindow>\n',
    "ui/panels/window.h": "#pragma once\n",
    "core/io/tiff/reader.cpp": '#include "core/io/tiff.h"\n#include "core/base/error.h"\n',
    "ui/panels/scan/form.h": '#pragma once\n#include "ui/panels/shared/field.h"\n',
    "ui/panels/shared/field.h": '#pragma once\n#include "core/base/error.h"\n',
    "ui/scene/view.cpp": ('#include "ui/scene/view.h"\n'
                          '#include <vtkRenderer.h>\n#include "core/base/error.h"\n'),
    "ui/scene/view.h": "#pragma once\n",
}


class Tree(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def found(self, checker):
        return [f"{path.relative_to(self.root)}:{line}: {sentence}"
                for path, line, sentence in checker.check(self.root)]

    def assert_only_fault(self, checker, place, words):
        faults = self.found(checker)
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(place + ": "), faults[0])
        self.assertIn(words, faults[0])


class Rooms(Tree):
    def assert_fault(self, place, words):
        self.assert_only_fault(check_rooms, place, words)

    def test_a_clean_tree_has_no_faults(self):
        self.assertEqual(self.found(check_rooms), [])

    def test_sideways(self):
        self.write("core/filter/ramp.cpp", '\n#include "core/io/tiff.h"\n')
        self.assert_fault("core/filter/ramp.cpp:2", "'filter' must not include room 'io'")

    def test_downwards(self):
        self.write("core/base/error.cpp", '#  include "core/geometry/grid.h"\n')
        self.assert_fault("core/base/error.cpp:1", "'base' must not include room 'geometry'")

    def test_core_stands_alone(self):
        self.write("core/io/x.cpp", '#include "gpu/kernels/add.h"\n')
        self.assert_fault("core/io/x.cpp:1", "core must not include gpu")

    def test_ui_and_gpu_do_not_meet(self):
        self.write("ui/panels/x.cpp", '#include "gpu/kernels/add.h"\n')
        self.assert_fault("ui/panels/x.cpp:1", "ui must not include gpu")
        (self.root / "ui/panels/x.cpp").unlink()
        self.write("gpu/kernels/x.cu", '#include "ui/panels/window.h"\n')
        self.assert_fault("gpu/kernels/x.cu:1", "gpu must not include ui")

    def test_rooms_of_the_gpu(self):
        self.write("gpu/kernels/x.cu", '#include "gpu/engine/engine.h"\n')
        self.assert_fault("gpu/kernels/x.cu:1",
                          "'gpu/kernels' must not include room 'gpu/engine'")
        self.write("gpu/kernels/x.cu", '#include "core/base/error.h"\n')
        self.assert_fault("gpu/kernels/x.cu:1", "'gpu/kernels' must not include room 'base'")

    def test_rooms_of_the_desktop(self):
        self.write("ui/scene/view.cpp", '#include "ui/panels/window.h"\n')
        self.assert_fault("ui/scene/view.cpp:1", "'ui/scene' must not include room 'ui/panels'")
        self.write("ui/scene/view.cpp", '#include "core/geometry/grid.h"\n')
        self.assert_fault("ui/scene/view.cpp:1", "'ui/scene' must not include room 'geometry'")

    def test_rooms_of_the_program(self):
        self.write("app/wiring/x.cpp", '#include "app/cli/run.h"\n')
        self.assert_fault("app/wiring/x.cpp:1", "'app/wiring' must not include room 'app/cli'")
        self.write("app/wiring/x.cpp", '#include "core/io/tiff.h"\n')
        self.assert_fault("app/wiring/x.cpp:1", "'app/wiring' must not include room 'io'")

    def test_folders_of_a_room_kept_apart(self):
        self.write("ui/panels/jobs/x.cpp", '#include "ui/panels/scan/form.h"\n')
        self.assert_fault("ui/panels/jobs/x.cpp:1",
                          "folder 'jobs' of room 'ui/panels' must not include folder 'scan'")
        self.write("ui/panels/jobs/x.cpp", '#include "ui/panels/shared/field.h"\n')
        self.write("ui/panels/shared/x.cpp", '#include "ui/panels/scan/form.h"\n')
        self.assert_fault("ui/panels/shared/x.cpp:1", "folder 'shared'")

    def test_vtk_is_for_one_room(self):
        self.write("ui/panels/x.cpp", "#include <vtkRenderer.h>\n")
        self.assert_fault("ui/panels/x.cpp:1", "for the room ui/scene alone")

    def test_foreign_headers_in_core(self):
        for header, name in {"QString": "Qt", "QtCore/QString": "Qt", "qglobal.h": "Qt",
                             "vtkImageData.h": "VTK", "cuda_runtime.h": "CUDA", "cufft.h": "CUDA",
                             "mpi.h": "MPI"}.items():
            self.write("core/io/x.cpp", f"#include <{header}>\n")
            self.assert_fault("core/io/x.cpp:1", f"belongs to {name}")

    def test_mpi_has_a_folder(self):
        self.write("core/cluster/mpi/x.cpp", "#include <mpi.h>\n")
        self.assertFalse([fault for fault in self.found(check_rooms) if "mpi" in fault])

    def test_form_of_includes(self):
        for include in ('"error.h"', '"../base/error.h"', '"core/error.h"', '"tiffio.h"'):
            self.write("core/io/x.cpp", f"#include {include}\n")
            self.assert_fault("core/io/x.cpp:1", "not of the form")
        self.write("core/io/x.cpp", "#include <core/base/error.h>\n")
        self.assert_fault("core/io/x.cpp:1", "in quotes")
        self.write("core/io/x.cpp", '#include "core/base/none.h"\n')
        self.assert_fault("core/io/x.cpp:1", "does not exist")

    def test_fmt_in_a_header(self):
        self.write("core/io/x.h", "#include <fmt/format.h>\n")
        self.assert_fault("core/io/x.h:1", "fmt")
        self.write("core/base/throw_error.h", "#include <fmt/core.h>\n")
        self.write("core/io/x.h", '#include "core/base/throw_error.h"\n')
        self.assert_fault("core/io/x.h:1", "fmt")
        self.assertFalse(any("throw_error.h:1" in fault for fault in self.found(check_rooms)))

    def test_circle(self):
        self.write("tests/lint/rooms.txt", ROOMS.replace("base:", "base: io"))
        faults = self.found(check_rooms)
        self.assertIn("tests/lint/rooms.txt:2: rooms in a circle: base -> io -> geometry -> base", faults)

    def test_faults_of_the_list(self):
        self.write("tests/lint/rooms.txt", ROOMS + "nothing\n")
        self.assert_fault("tests/lint/rooms.txt:13", "not of the form")
        self.write("tests/lint/rooms.txt", ROOMS + "io: base\n")
        self.assert_fault("tests/lint/rooms.txt:13", "second time")
        self.write("tests/lint/rooms.txt", ROOMS + "plan: bose\n")
        self.assert_fault("tests/lint/rooms.txt:13", "'bose', which is no room")
        self.write("tests/lint/rooms.txt", ROOMS + "ui/attic/*: shared\n")
        self.assert_fault("tests/lint/rooms.txt:13", "is no room")
        self.write("tests/lint/rooms.txt", ROOMS)
        self.write("core/attic/CMakeLists.txt")
        self.assert_fault("core/attic:1", "not listed")

    def test_rooms_that_the_papers_lack(self):
        rooms = check_rooms.read_rooms(self.root / "tests/lint/rooms.txt")[0]
        paths = [room if "/" in room else f"core/{room}" for room in rooms if not room.endswith("/*")]
        table = "".join(f"| `{path}` | what it is |\n" for path in paths)
        drawing = "".join(f"<text>{path.split('/')[-1]} · x</text>" for path in paths)
        self.write("README.md", table)
        self.write("resources/help/pictures/architecture.svg", drawing)
        self.assertEqual(list(check_rooms.check_papers(self.root)), [])
        self.write("README.md", table.replace("| `core/io`", "| io"))
        self.write("resources/help/pictures/architecture.svg", drawing.replace(">filter", ">filters"))
        self.assertEqual([sentence for _, _, sentence in check_rooms.check_papers(self.root)],
                         ["the table of rooms lacks `core/io`", "the drawing lacks the room core/filter"])


class Style(Tree):
    def assert_fault(self, place, words):
        self.assert_only_fault(check_style, place, words)

    def test_a_clean_tree_has_no_faults(self):
        for name in ("LICENSE", ".clang-format", "build/x", "build-dev/x", "README.md"):
            self.write(name)
        self.assertEqual(self.found(check_style), [])

    def test_top_level(self):
        self.write("notes/x.txt")
        self.assert_fault("notes:1", "top level")

    def test_length(self):
        self.write("core/io/x.cpp", "\n" * 450)
        self.assertEqual(self.found(check_style), [])
        self.write("core/io/x.cpp", "\n" * 451)
        self.assert_fault("core/io/x.cpp:451", "at most 450")

    def test_length_of_functions(self):
        """A table or a type may be longer, and braces in texts do not count."""
        lines = "    f('{', \"{\", R\"({)\");  // {\n    if (g()) {\n        f();\n    }\n" * 14
        for begin in ("void f(int a,\n       int b) {", "int T::g() const override {",
                      "    auto h = [&](int a) -> int {"):
            self.write("core/io/x.cpp", f"{begin}\n{lines}    f();\n    f();\n    f();\n}}\n")
            self.assertEqual(self.found(check_style), [])
            self.write("core/io/x.cpp", f"{begin}\n{lines}{lines}}}\n")
            self.assert_fault(f"core/io/x.cpp:{begin.count(chr(10)) + 1}", "60 lines: this one has 113")
        for begin in ("namespace gantry {", "class X : public A,\n          public B {",
                      "const int kTable[] = {"):
            self.write("core/io/x.cpp", f"{begin}\n{lines}{lines}}};\n")
            self.assertEqual(self.found(check_style), [])

    def test_words(self):
        self.write("core/io/x.cpp", "// The limit holds at most times.\nint kMaxRows = 1;\n")
        self.assertEqual(self.found(check_style), [])
        self.write("core/io/x.cpp", "// As a rule, both. As soon as one is there, it is read.\nint kMostly = 1;\n")
        self.assertEqual(self.found(check_style), [])
        for text, sentence in {"int kMostRows = 1;\n": "kMax", "// Of a width.\n": "sentence",
                               "int kFewest = 1;\n": "kMax", "int kLeastRows = 1;\n": "kMax",
                               "/// As told.\n": "sentence", "// It is read. Of a width.\n": "sentence",
                               "int kPace = 1;\n": "throughput", "int m_pace = 1;\n": "throughput",
                               "int dealtRows = 1;\n": "assigned",
                               "if (std::strcmp(a, b)) f();\n": "zero for what is equal",
                               "if (fs::exists(path)) f();\n": "throws",
                               "assert(++i < n);\n": "assertion", "assert(i = n);\n": "assertion",
                               "// The dealer.\n": "scheduler"}.items():
            for place in ("core/io/x.cpp", "tests/core/io/x_test.cpp"):
                if place.startswith("core") or not re.search("strcmp|fs::", text):
                    self.write(place, text)
                    self.assert_fault(f"{place}:1", sentence)
                    (self.root / place).unlink()
        self.write("tests/cli/test_x.py", "# A run.\n# Of one.\n")
        self.assertEqual(self.found(check_style), [])
        for text in ("# As told.\n", '"""Of a run."""\n'):
            self.write("tests/cli/test_x.py", text)
            self.assert_fault("tests/cli/test_x.py:1", "sentence")

    def test_tab(self):
        self.write("packaging/run.sh", "\n\techo\n")
        self.assert_fault("packaging/run.sh:2", "tab")

    def test_names(self):
        self.write("core/io/TiffReader.cpp")
        self.write("core/io/x.hpp", "#pragma once\n")
        self.assertEqual(len(self.found(check_style)), 2)
        (self.root / "core/io/TiffReader.cpp").unlink()
        (self.root / "core/io/x.hpp").unlink()
        self.write("core/io/Parts/CMakeLists.txt", "\n")
        self.assert_fault("core/io/Parts:1", "snake_case")

    def test_words_that_are_listed_once(self):
        table = '#pragma once\n// "hann"\nFieldWord kWindows[] = {{"hann", "Hann"}, {"none"}, {"top"}};\n'
        self.write("core/filter/windows.h", table + 'f("float32");\n')
        self.write("core/io/x.cpp", '// "hann"\ng("hanning", "Hann", "none");\n')
        self.assertEqual(self.found(check_style), [])
        for place in ("app/cli/x.cpp", "ui/panels/x.cpp"):
            for word in ("hann", "float32"):
                self.write(place, f'\nh("{word}");\n')
                self.assert_fault(f"{place}:2", "stands in core/filter/windows.h")
            # Words that mean other things, too, are a list where two stand beside each other.
            self.write(place, '\nh({"none", "top"});\n')
            self.assert_fault(f"{place}:2", "stand in core/filter/windows.h")
            for engines in ('{"auto", "cpu",\n"gpu"}', 'isOn ? "gpu" : "cpu"'):
                self.write(place, f"h({engines});\n")
                self.assert_fault(f"{place}:1", "the engines stand in core/job/job_fields.h")
            self.write("gpu/engine/cone_kernel.cpp", 'k({{"mirror-texture", true}, {{"reference"}});\n')
            for kernel in ("mirror-texture", "reference"):
                self.write(place, f'k("{kernel}");\n')
                self.assert_fault(f"{place}:1", "is listed by its engine")
            (self.root / place).unlink()

    def test_texts_that_can_be_translated(self):
        self.write("ui/panels/x.cpp", '// tr(x)\ntr("Open");\nQLabel::tr(\n    "Close");\nattr(x);\n')
        self.assertEqual(self.found(check_style), [])
        self.write("ui/panels/x.cpp", "\nwindow.tr(\n    label);\n")
        self.assert_fault("ui/panels/x.cpp:2", "tr() takes a text in quotes")
        self.write("ui/panels/x.cpp", "")
        self.write("ui/panels/scan_texts.h", "#pragma once\n")
        self.assert_fault("ui/panels/scan_texts.h:1", "texts stand where they are shown")

    def test_pragma_once(self):
        self.write("core/io/x.h", "// What it is.\n#pragma once\n")
        self.assertEqual(self.found(check_style), [])
        self.write("core/io/x.h", "#include <string>\n#pragma once\n")
        self.assert_fault("core/io/x.h:1", "#pragma once")

    def test_named_tests_are_there(self):
        self.write("tests/core/io/x_test.cpp")
        self.write("core/io/x.h", "#pragma once\n/// Tests: tests/core/io/x_test.cpp, tests/core/io/\n")
        self.assertEqual(self.found(check_style), [])
        self.write("core/io/x.h", "#pragma once\n/// Reads. Tests:\n/// tests/core/io/y_test.cpp.\n")
        self.assert_fault("core/io/x.h:3", "there is no tests/core/io/y_test.cpp")

    def test_own_header_first(self):
        self.write("core/io/x.h", "#pragma once\n")
        self.write("core/io/x.cpp", '#include "core/io/x.h"\n#include <string>\n')
        self.assertEqual(self.found(check_style), [])
        self.write("core/io/x.cpp", '#include <string>\n#include "core/io/x.h"\n')
        self.assert_fault("core/io/x.cpp:1", "own header first: x.h")

    def test_unfinished_work(self):
        self.write("core/io/x.cpp", "\n// TO" + "DO: later\n")
        self.assert_fault("core/io/x.cpp:2", "work left")

    def test_last_line(self):
        self.write("core/io/x.cpp", "int x;")
        self.assert_fault("core/io/x.cpp:1", "last line")


BODY = "\n\nThey were taken for counts.\n"


class Commits(unittest.TestCase):
    def assert_fault(self, message, words):
        faults = list(check_commits.faults_of(message))
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])

    def test_sound_messages(self):
        for subject in ("Read axis positions of NXtomo files", "Pass views by value",
                        "Pre-allocate slabs", "Compress layers", "Bring the manual up to date",
                        "Read " + "x" * 67):
            self.assertEqual(list(check_commits.faults_of(subject + BODY)), [], subject)
        self.assertEqual(list(check_commits.faults_of('Revert "Tests read axes"')), [])

    def test_length(self):
        self.assert_fault("Read " + "x" * 68 + BODY, "73 characters; 72")

    def test_mood(self):
        for word in ("Reads", "Added", "Adding", "Tests", "The", "What", "add", "GPUs", "A"):
            self.assert_fault(word + " axis positions" + BODY, f"begins with '{word}'")

    def test_form(self):
        self.assert_fault("Read axes." + BODY, "full stop")
        self.assert_fault("Read axes\nThey were not.", "not empty")
        self.assert_fault("Read axes\n", "no body")
        self.assert_fault("\n", "no subject")
        self.assert_fault("fixup! Read axes\n", "still to be folded")

    def test_as_a_hook(self):
        script = Path(check_commits.__file__)
        with tempfile.TemporaryDirectory() as folder:
            message = Path(folder) / "COMMIT_EDITMSG"
            for text, code in ((f"Read axes{BODY}# a comment\n", 0), ("Read axes\n# a comment\n", 1),
                               ("fixup! Read axes\n", 0), ("Merge branch 'axes'\n", 0)):
                message.write_text(text, encoding="utf-8")
                done = subprocess.run([sys.executable, "-B", script, "--message", message],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stdout)

    def test_commits_after_the_base_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                subprocess.run(["git", "-C", folder, "-c", "user.name=N", "-c", "user.email=n@n",
                                *words], check=True, capture_output=True)

            self.assertIsNone(check_commits.commits_since(folder, "HEAD"))
            git("init")
            for message in ("Old story told long ago.", "Read axes" + BODY, "Reads axes" + BODY):
                git("commit", "--allow-empty", "-m", message)
            commits = check_commits.commits_since(folder, "HEAD~2")
            self.assertEqual([message.split("\n")[0] for _, message in commits],
                             ["Read axes", "Reads axes"])
            self.assertEqual(len(check_commits.check(commits)), 1)
            self.assertIsNone(check_commits.commits_since(folder, "abcdef1"))


class Papers(unittest.TestCase):
    def test_what_readme_and_contributing_link_is_there(self):
        root = Path(__file__).resolve().parents[2]
        for page in (root / "README.md", root / ".github/CONTRIBUTING.md"):
            links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
            self.assertGreater(len(links), 10)
            for link in links:
                if not link.startswith("http"):
                    self.assertTrue((page.parent / link).exists(), f"{page.name} links {link}")


if __name__ == "__main__":
    unittest.main()
