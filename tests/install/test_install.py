"""The installed library as a user has it: a program of their own, built against nothing else."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

BUILD = os.environ["GANTRY_BUILD"]
CXX = os.environ["GANTRY_CXX"]
HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "memory_to_memory"
SOURCES = HERE.parent.parent
PAGE = SOURCES / "resources/help/library.md"


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gantry-install-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.prefix = self.folder / "prefix"

    def run_tool(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=280)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def install(self, component):
        self.run_tool("cmake", "--install", BUILD, "--prefix", self.prefix,
                      "--component", component)

    def test_a_program_reconstructs_from_memory_to_memory(self):
        self.install("development")
        own = self.folder / "build"
        self.run_tool("cmake", "-S", PROGRAM, "-B", own, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                      f"-DCMAKE_CXX_COMPILER={CXX}")
        self.run_tool("cmake", "--build", own)
        lines = self.run_tool(own / "memory_to_memory").splitlines()
        self.assertIn("100 % done", lines)
        self.assertTrue(lines[-1].endswith("/mm in the middle"), lines)

    def test_a_program_does_all_that_the_surface_offers(self):
        self.install("development")
        own = self.folder / "build"
        self.run_tool("cmake", "-S", HERE / "whole_surface", "-B", own,
                      f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        self.run_tool("cmake", "--build", own)
        lines = self.run_tool(own / "whole_surface", self.folder).splitlines()
        self.assertTrue(lines[-1].endswith(": 0 failures"), lines)

    def test_headers_of_the_surface_alone_are_installed(self):
        self.install("development")
        include = self.prefix / "include"
        places = [include, include / "gantry/surface"]
        reached, open_ones = set(), sorted((include / "gantry").glob("*.h"))
        self.assertLessEqual(len(open_ones), 30)
        for header in open_ones:
            if header not in reached:
                reached.add(header)
                names = re.findall(r'#include ["<]((?:gantry|core)/[^">]+)', header.read_text())
                found = {place / name for name in names for place in places
                         if (place / name).is_file()}
                self.assertEqual(len(found), len(set(names)), f"{header} includes {names}")
                open_ones += sorted(found)
        self.assertEqual(sorted(include.rglob("*.h")), sorted(reached))

    def test_who_wants_the_program_alone_gets_no_libraries(self):
        self.install("program")
        self.assertTrue((self.prefix / "bin/gantry").is_file())
        self.assertFalse((self.prefix / "include").exists())
        self.assertFalse((self.prefix / "lib").exists())

    def test_the_version_of_the_build_is_everywhere(self):
        version = re.search(r"project\(gantry VERSION (\S+)",
                            (SOURCES / "CMakeLists.txt").read_text())[1]
        self.install("program")
        self.install("development")
        self.assertEqual(self.run_tool(self.prefix / "bin/gantry", "--version"), f"gantry {version}\n")
        package = next(self.prefix.rglob("GantryConfigVersion.cmake")).read_text()
        self.assertIn(f'set(PACKAGE_VERSION "{version}")', package)
        changes = (SOURCES / "resources/help/changes.md").read_text(encoding="utf-8")
        self.assertEqual(re.search(r"^## ([\d.]+)", changes, re.M)[1], version)

    def test_man_page_and_completion_come_with_the_program(self):
        self.install("program")
        share = self.prefix / "share"
        self.assertIn(".TH GANTRY 1", (share / "man/man1/gantry.1").read_text(encoding="utf-8"))
        for name in ("bash-completion/completions/gantry", "zsh/site-functions/_gantry",
                     "fish/vendor_completions.d/gantry.fish"):
            self.assertIn("reconstruct", (share / name).read_text(encoding="utf-8"), name)

    def test_software_centres_find_the_program(self):
        self.install("program")
        share = self.prefix / "share"
        desktop = share / "applications/gantry.desktop"
        if not desktop.exists():
            self.skipTest("this build has no desktop")
        metainfo = share / "metainfo/gantry.metainfo.xml"
        root = xml.etree.ElementTree.parse(metainfo).getroot()
        self.assertEqual(root.findtext("launchable"), desktop.name)
        self.assertEqual(root.findtext("project_license"), "Apache-2.0")
        self.assertTrue((share / "icons/hicolor/scalable/apps/gantry.svg").is_file())
        if shutil.which("appstreamcli"):
            self.run_tool("appstreamcli", "validate", "--no-net", metainfo)


class Manual(unittest.TestCase):
    def test_shows_the_program_that_is_tested(self):
        page = PAGE.read_text(encoding="utf-8")
        for language, name in {"cpp": "main.cpp", "cmake": "CMakeLists.txt"}.items():
            text = (PROGRAM / name).read_text(encoding="utf-8")
            self.assertIn(f"```{language}\n{text}```\n", page)


if __name__ == "__main__":
    unittest.main()
