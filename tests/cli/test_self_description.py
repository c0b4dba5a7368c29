"""The man page and the completion of shells, which are made from what --help shows."""

import functools
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import GANTRY


@functools.cache
def printed(*words):
    done = subprocess.run([GANTRY, *words], capture_output=True, text=True, check=True)
    return done.stdout


def commands_below(*place):
    """The commands that --help lists at a place."""
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", printed(*place, "--help") + "\n", re.M)
    return re.findall(r"^  (\w\S*)", listed[1], re.M) if listed else []


def places():
    """Every command, as a tuple of words."""
    for command in commands_below():
        yield (command,)
        for below in commands_below(command):
            yield (command, below)


def options_of(*place):
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", printed(*place, "--help"), re.M))


class ManPage(unittest.TestCase):
    def setUp(self):
        self.page = printed("man")

    def test_has_every_command_with_every_option(self):
        listed = list(places())
        self.assertIn(("bench", "kernels"), listed)
        sections = dict(re.findall(r"^\.SS gantry ([^\n]*)\n(.*?)(?=^\.S)", self.page,
                                   re.M | re.S))
        self.assertEqual(len(sections), len(listed))
        for place in listed:
            section = sections[" ".join(place)].replace("\\-", "-")
            for option in options_of(*place) - {"--help"}:
                self.assertIn(f"\\fB{option}\\fR", section, place)

    def test_shows_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"], input=self.page,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_is_not_listed_itself(self):
        self.assertNotIn("completion", commands_below())
        self.assertNotIn("man", commands_below())


class Completion(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def script(self, shell):
        path = Path(self._folder.name) / shell
        path.write_text(printed("completion", shell))
        return path

    def in_bash(self, *words):
        """What bash offers for the last of the words."""
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "--norc", "-c",
             f'source "$0"; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _gantry; '
             'printf "%s\\n" "${COMPREPLY[@]}"', self.script("bash")],
            capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_commands(self):
        self.assertEqual(self.in_bash("gantry", "rec"), ["reconstruct"])
        self.assertIn("kernels", self.in_bash("gantry", "bench", ""))
        self.assertEqual(self.in_bash("gantry", "reconstruct", "rec"), [])

    def test_bash_completes_options_and_choices(self):
        self.assertEqual(self.in_bash("gantry", "reconstruct", "scan.json", "--win"), ["--window"])
        self.assertIn("hann", self.in_bash("gantry", "reconstruct", "--window", ""))
        self.assertEqual(self.in_bash("gantry", "reconstruct", "--window", "ram"), ["ram-lak"])
        # A file may follow, which bash completes itself.
        self.assertEqual(self.in_bash("gantry", "reconstruct", "--out", ""), [])

    def test_every_option_is_completed(self):
        for place in places():
            self.assertLessEqual(options_of(*place), set(self.in_bash("gantry", *place, "-")), place)

    def test_other_shells_take_their_scripts(self):
        for shell in ("zsh", "fish"):
            path = self.script(shell)
            self.assertIn("reconstruct", path.read_text())
            if shutil.which(shell):
                subprocess.run([shell, "-n", path], check=True)

    def test_a_shell_that_is_unknown(self):
        done = subprocess.run([GANTRY, "completion", "tcsh"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash, zsh or fish", done.stderr)


if __name__ == "__main__":
    unittest.main()
