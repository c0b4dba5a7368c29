"""Ctrl+C ends a run within a second, with exit code 130 and nothing under a final name."""

import os
import re
import signal
import time
import unittest

from support import GantryTest, start


class Interrupt(GantryTest):
    SCAN = ["--views", 180]

    def interrupt_within_a_second(self, number, prepare, has_begun, *words):
        """Up to three times: a machine with other work may let a process wait, three times not."""
        for _ in range(3):
            prepare()
            seconds = self.interrupt(number, has_begun, *words)
            if seconds < 1:
                return
        self.fail(f"it took {seconds:.1f} s to end")

    def interrupt(self, number, has_begun, *words):
        process = self.begin(has_begun, *words)
        process.send_signal(number)
        begin = time.monotonic()
        _, said = process.communicate(timeout=60)
        seconds = time.monotonic() - begin
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(said.splitlines()[-1], "gantry: cancelled.")
        self.said = said
        return seconds

    def begin(self, has_begun, *words):
        process = start(*words, cwd=self.folder)
        limit = time.monotonic() + 60
        while not has_begun():
            self.assertIsNone(process.poll(), "it ended before it could be interrupted")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)
        time.sleep(0.3)
        return process

    def test_reconstruction(self):
        events = self.folder / "v.mha.job/events.jsonl"
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupt_within_a_second(
                number, lambda: events.unlink(missing_ok=True),
                lambda: events.exists() and "span" in events.read_text(), "reconstruct",
                self.scan, "--kernel", "reference", "--voxels", 400, "--out", "v.mha")
            self.assertEqual([p.name for p in self.folder.iterdir()], ["v.mha.job"])
            self.assertIn("Nothing of it is kept yet; `gantry worker", self.said)
            self.assertIn("cancelled", self.succeed("timeline", "v.mha.job", cwd=self.folder))

    def test_iterations_that_are_kept(self):
        """It is told how many, and the job goes on from them."""
        state = self.folder / "v.mha.job/iterations.bin"
        self.interrupt(signal.SIGINT, state.exists, "reconstruct", self.scan, "--method", "sirt",
                       "--iterations", 300, "--voxels", 32, "--out", "v.mha")
        told = re.search(r"Its first (\d+ )?iterations? (is|are) kept; `gantry worker (.*)` goes on",
                         self.said)
        self.assertTrue(told, self.said)
        self.assertTrue(told[3].endswith("v.mha.job"))
        events = (self.folder / "v.mha.job/events.jsonl").read_text()
        self.assertGreaterEqual(events.count('"residual"'), int(told[1] or 1))

    def test_simulation(self):
        part = self.folder / "scan.part/proj"
        self.interrupt_within_a_second(signal.SIGINT, lambda: None, part.exists, "simulate",
                                       "--views", 5000, "--detector", "700x700", "--out", "scan")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_second_signal_ends_at_once(self):
        process = self.begin((self.folder / "volume.mha.job/events.jsonl").exists, "reconstruct",
                             self.scan, "--kernel", "reference", "--voxels", 400)
        for _ in range(2):
            if process.poll() is None:
                os.kill(process.pid, signal.SIGINT)
                time.sleep(0.05)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertFalse((self.folder / "volume.mha").exists())


if __name__ == "__main__":
    unittest.main()
