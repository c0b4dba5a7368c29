"""Runs packaging/setup.sh with stand-ins for the system's commands, so that nothing is installed."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "packaging/setup.sh"
DEBIAN_12 = 'ID=debian\nVERSION_ID="12"\n'


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"
        self.calls.write_text("")
        for name in ("env", "mktemp", "rm", "tail", "cat"):
            for place in ("/usr/bin/", "/bin/"):
                if os.path.exists(place + name) and not (self.folder / name).exists():
                    (self.folder / name).symlink_to(place + name)
        self.command("id", "echo 0")
        self.command("dpkg-query", "exit 1")
        self.command("apt-get", f'echo "$*" >> {self.calls}')

    def command(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_setup(self, *arguments, os_release=DEBIAN_12, **environment):
        (self.folder / "os-release").write_text(os_release)
        done = subprocess.run(
            ["/bin/sh", str(SETUP), *arguments], capture_output=True, text=True, check=False,
            env={"PATH": str(self.folder), "GANTRY_OS_RELEASE": str(self.folder / "os-release"),
                 **environment})
        return done.returncode, done.stdout, done.stderr, self.calls.read_text().splitlines()

    def test_installs_what_is_missing_and_says_so(self):
        self.command("dpkg-query", 'case "$4" in libtiff-dev|cmake) exit 1;; esac; echo installed')
        code, out, _, calls = self.run_setup()
        self.assertEqual(code, 0)
        self.assertIn("installing on debian 12: cmake libtiff-dev\n", out)
        self.assertEqual(len(calls), 2)
        self.assertIn("update", calls[0])
        self.assertTrue(calls[1].endswith("install cmake libtiff-dev"), calls)

    def test_does_nothing_where_nothing_is_missing(self):
        self.command("dpkg-query", "echo installed")
        code, out, _, calls = self.run_setup("--dev", os_release="ID=fedora\n")
        self.assertEqual((code, calls), (0, []))
        self.assertEqual(len(out.splitlines()), 1)

    def test_a_removed_package_whose_settings_remain_is_missing(self):
        self.command("dpkg-query", "echo config-files")
        self.assertIn("libtiff-dev", self.run_setup()[3][1])

    def test_only_dev_brings_the_checkers(self):
        self.assertNotIn("clang-tidy", self.run_setup()[1])
        self.assertIn("clang-tidy", self.run_setup("--dev")[1])

    def test_every_supported_system(self):
        for name in ("debian 12", "debian 13", "ubuntu 24.04"):
            system, version = name.split()
            code, out, _, _ = self.run_setup(os_release=f'ID={system}\nVERSION_ID="{version}"\n')
            self.assertEqual(code, 0)
            self.assertIn(f"installing on {name}:", out)
            self.assertEqual("qt6-svg-plugins" in out, name == "debian 13")

    def test_goes_through_sudo(self):
        self.command("id", "echo 1000")
        self.command("sudo", f'echo sudo >> {self.calls}; exec "$@"')
        code, _, _, calls = self.run_setup()
        self.assertEqual(code, 0)
        self.assertEqual(calls.count("sudo"), 2)

    def test_neither_root_nor_sudo(self):
        self.command("id", "echo 1000")
        code, _, error, calls = self.run_setup()
        self.assertEqual((code, calls), (1, []))
        self.assertEqual(len(error.splitlines()), 1)
        self.assertIn("neither root nor sudo", error)

    def test_an_unknown_system_gets_the_list(self):
        code, _, error, calls = self.run_setup(os_release="ID=fedora\nVERSION_ID=41\n")
        self.assertEqual((code, calls), (1, []))
        self.assertEqual(len(error.splitlines()), 1)
        self.assertIn("fedora 41", error)
        self.assertIn("libtiff-dev", error)

    def test_may_be_skipped(self):
        code, _, _, calls = self.run_setup(os_release="ID=fedora\n", GANTRY_SETUP="skip")
        self.assertEqual((code, calls), (0, []))

    def test_a_failed_installation_fails(self):
        self.command("apt-get", 'echo "E: no such package"; exit 100')
        code, _, error, _ = self.run_setup()
        self.assertEqual(code, 1)
        self.assertIn("E: no such package", error)

    def test_a_server_goes_without_the_desktop(self):
        self.assertIn("libvtk9-dev", self.run_setup()[3][1])
        self.calls.write_text("")
        installed = self.run_setup("--headless")[3][1]
        self.assertIn("libtiff-dev", installed)
        for package in ("libvtk9-dev", "qt6-base-dev", "xvfb"):
            self.assertNotIn(package, installed)

    def test_unknown_options_are_bad_usage(self):
        self.assertEqual(self.run_setup("--all")[0], 2)


if __name__ == "__main__":
    unittest.main()
