"""Jobs on hosts from the desktop's window: against a private sshd and Slurm, each case of
remote_window_test.cpp in a process of its own."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "cli"))
# pylint: disable=wrong-import-position
from host_test import ClusterTest  # noqa: E402
from private_cluster import missing, slurm_host, wait_for  # noqa: E402
from support import GANTRY  # noqa: E402

PROGRAM = os.environ["GANTRY_UI_TEST"]
LACKS = missing()


@unittest.skipIf(LACKS, f"not installed: {LACKS}")
class RemoteWindow(ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ.update(
            GANTRY_TEST_LINE=str(cls.sshd.folder / "line"),
            # Without letters that cannot be typed by tests.
            GANTRY_TEST_SCRATCH=str(cls.home / "it's $(typed)"),
            GANTRY_TEST_HOST=slurm_host(GANTRY, cls.scratch),
            GANTRY_TEST_OUTPUT=str(cls.home / "kept.mha"))

    def tearDown(self):
        self.sshd.line("")
        self.slurm.empty()
        wait_for(self.slurm.is_idle, 60, "idle nodes")
        super().tearDown()

    def case(self, name, settings=None, code=0):
        words = [PROGRAM, f"--gtest_filter=RemoteWindowTest.DISABLED_{name}",
                 "--gtest_also_run_disabled_tests", "--gtest_brief=1"]
        more = {"GANTRY_TEST_SETTINGS": str(settings)} if settings else {}
        done = subprocess.run(words, env={**os.environ, **more}, capture_output=True, text=True,
                              timeout=240, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def test_there_and_back(self):
        self.case("AJobGoesToAClusterAndItsVolumeIsOpened")

    def test_cancel_resume_fetch(self):
        self.case("ACancelledJobResumesThereFromItsSlabs")

    def test_a_host_that_hangs(self):
        self.case("AHostThatHangsDoesNotStallTheWindow")

    def test_killed_and_started_again(self):
        settings = self.home / "settings"
        settings.mkdir()
        self.case("AJobIsStartedAndTheDesktopIsKilled", settings, -signal.SIGKILL)
        self.case("TheNextStartFindsTheJobAgain", settings)


if __name__ == "__main__":
    unittest.main()
