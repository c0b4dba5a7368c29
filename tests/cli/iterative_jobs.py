"""What tests of jobs by iterative methods have in common: jobs that are watched while they iterate."""

import json
import time

from support import GantryTest, start


class IterativeTest(GantryTest):
    def events(self, job, kind):
        lines = (self.folder / job / "events.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["event"] == kind]

    def begin(self, *words, out="v.mha"):
        process = start("reconstruct", self.scan, *words, "--out", out, cwd=self.folder)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, is_there):
        limit = time.monotonic() + 60
        while not is_there():
            self.assertIsNone(process.poll(), "it ended too early")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)

    def has_iterated(self, job="v.mha.job"):
        log = self.folder / job / "events.jsonl"
        return log.exists() and '"event":"iteration"' in log.read_text()
