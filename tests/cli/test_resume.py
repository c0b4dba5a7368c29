"""A killed run resumes from its finished slabs and gives the same volume, bit by bit."""

import json
import re
import time
import unittest

from support import GantryTest, start


class Resume(GantryTest):
    SCAN = ["--views", 90]

    # One thread of the plain back-projector takes long enough to be killed in between.
    REQUEST = ["--kernel", "reference", "--voxels", "84x84x77", "--threads", 1]

    def memory_for_slabs(self, *words):
        """A limit of memory under which the volume is made in a few slabs."""
        request = [self.scan, *self.REQUEST, *words]
        whole = self.document("plan", *request)["memoryBytes"]
        said = self.fail_with(1, ["one slice"], "plan", *request, "--memory", "1M")
        least = float(re.search(r"needs ([0-9.]+) MB", said)[1]) * 1e6
        return str(round(least + (whole - least) / 4))

    def test_killed_run(self):
        memory = self.memory_for_slabs()
        words = ["reconstruct", self.scan, *self.REQUEST, "--memory", memory]
        self.succeed(*words, "--out", "whole.mha", cwd=self.folder)

        process = start(*words, "--out", "killed.mha", cwd=self.folder)
        checkpoint = self.folder / "killed.mha.job/checkpoint.json"
        while not checkpoint.exists():
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.01)
        process.kill()
        process.communicate()
        self.assertFalse((self.folder / "killed.mha").exists())
        slabs_done = len(json.loads(checkpoint.read_text())["slabsDone"])
        self.assertGreaterEqual(slabs_done, 1)

        done = self.document("worker", "killed.mha.job", cwd=self.folder)
        self.assertEqual(done["slabsResumed"], slabs_done)
        whole = (self.folder / "whole.mha").read_bytes()
        self.assertEqual((self.folder / "killed.mha").read_bytes(), whole)
        self.assertFalse(checkpoint.exists())
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"], [])

    def expect_the_same_after_a_kill(self, *more):
        words = ["reconstruct", self.scan, *self.REQUEST, *more, "--memory",
                 self.memory_for_slabs(*more)]
        self.succeed(*words, "--out", "whole.mha", cwd=self.folder)
        self.kill_after_the_first_slab(*words, "--out", "killed.mha")
        done = self.document("worker", "killed.mha.job", cwd=self.folder)
        self.assertGreaterEqual(done["slabsResumed"], 1)
        self.assertEqual((self.folder / "killed.mha").read_bytes(),
                         (self.folder / "whole.mha").read_bytes())
        return " ".join(done["notes"])

    def test_killed_run_of_larger_pixels(self):
        notes = self.expect_the_same_after_a_kill("--bin", 2)
        self.assertIn("each 2 × 2 pixels were averaged", notes)

    def test_killed_run_with_corrections(self):
        # Some 15 columns on either side of a smaller object show air.
        self.scan = self.simulate("--phantom-scale-mm", 70, out=self.folder / "small")
        notes = self.expect_the_same_after_a_kill(
            "--modules", "fit", "--flux", "air", "--zingers", 1.3, "--phase", "60,100,500",
            "--lag", "0.02,2", "--rings", "sorting", "--ring-width", 5)
        for part in ("each view was divided", "the phase was retrieved", "lag was taken off",
                     "rings were removed by sorting"):
            self.assertIn(part, notes)

    def test_killed_pyramid(self):
        # Slabs end within layers of chunks, of which there are three, and two levels.
        size = ["--voxels", "140x60x130"]
        size += ["--out", "v.ome.zarr"]
        words = ["reconstruct", self.scan, *self.REQUEST, *size, "--memory",
                 self.memory_for_slabs(*size)]
        (self.folder / "whole").mkdir()
        self.succeed(*words, cwd=self.folder / "whole")
        self.kill_after_the_first_slab(*words, volume="v.ome.zarr")
        self.assertFalse((self.folder / "v.ome.zarr").exists())
        done = self.document("worker", "v.ome.zarr.job", cwd=self.folder)
        self.assertGreaterEqual(done["slabsResumed"], 1)

        def files(folder):
            return {path.relative_to(folder): path.read_bytes()
                    for path in folder.rglob("*") if path.is_file()}
        whole = files(self.folder / "whole/v.ome.zarr")
        self.assertEqual(sum(path.name.isdigit() for path in whole), 3 * 3 + 2 * 2)
        self.assertTrue(files(self.folder / "v.ome.zarr") == whole)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"], [])

    def resumed(self, name, *options):
        """A volume of a run that was killed in the midst; a whole one is in `whole`."""
        words = ["reconstruct", self.scan, *self.REQUEST, *options, "--out", name]
        words += ["--memory", self.memory_for_slabs(*options, "--out", name)]
        (self.folder / "whole").mkdir(exist_ok=True)
        self.succeed(*words, cwd=self.folder / "whole")
        self.kill_after_the_first_slab(*words, volume=name)
        self.assertFalse((self.folder / name).exists())
        done = self.document("worker", name + ".job", cwd=self.folder)
        self.assertGreaterEqual(done["slabsResumed"], 1)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.suffix == ".part"], [])
        return self.folder / name

    def test_killed_volumes_for_other_programs(self):
        # The slices of the .ome.tif are wide enough to have a smaller image each.
        for name, options in (("v.nrrd", []),
                              ("v.ome.tif", ["--voxels", "140x60x50", "--type", "uint16",
                                             "--range", "0,0.1"])):
            with self.subTest(name=name):
                made = self.resumed(name, *options).read_bytes()
                self.assertTrue(made == (self.folder / "whole" / name).read_bytes())

    def test_killed_series_of_slices(self):
        made = self.resumed("v.dcm", "--type", "uint16", "--range", "0,0.1")
        found = self.document("compare", made, self.folder / "whole/v.dcm")
        self.assertEqual((found["maxError"], found["notFinite"]), (0, 0))
        # One series, in which every slice has an identifier of its own.
        heads = [path.read_bytes()[:4000] for path in sorted(made.iterdir())]
        self.assertEqual(len(heads), 77)
        series, instances = ([re.search(tag + rb"UI..([0-9.]+)", head, re.DOTALL)[1]
                              for head in heads]
                             for tag in (rb"\x20\x00\x0e\x00", rb"\x08\x00\x18\x00"))
        self.assertEqual((len(set(series)), len(set(instances))), (1, 77))

    def kill_after_the_first_slab(self, *words, volume="killed.mha"):
        process = start(*words, cwd=self.folder)
        checkpoint = self.folder / (volume + ".job/checkpoint.json")
        while not checkpoint.exists():
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.01)
        process.kill()
        process.communicate()

    def test_all_tell_the_same_time_without_the_pause(self):
        words = ["reconstruct", self.scan, *self.REQUEST, "--memory", self.memory_for_slabs(),
                 "--out", "killed.mha"]
        begin = time.monotonic()
        self.kill_after_the_first_slab(*words)
        killed = time.monotonic()
        time.sleep(2.5)
        resumed = time.monotonic()
        done = self.document("worker", "killed.mha.job", cwd=self.folder)
        end = time.monotonic()

        wall = done["wallSeconds"]
        self.assertLess(wall, killed - begin + end - resumed)
        self.assertGreater(done["pausedSeconds"], 2.5)
        timeline = self.document("timeline", "killed.mha.job", cwd=self.folder)
        self.assertAlmostEqual(timeline["wallSeconds"], wall, places=6)
        self.assertAlmostEqual(timeline["pausedSeconds"], done["pausedSeconds"], places=6)
        self.assertEqual(timeline["stages"], done["timeline"]["stages"])
        self.assertAlmostEqual(timeline["overlapFactor"], done["timeline"]["overlapFactor"],
                               places=6)
        # Nobody waited for anybody in the pause.
        for lane in timeline["lanes"]:
            self.assertLess(lane["longestGapSeconds"], wall, lane)
            self.assertAlmostEqual(lane["busySeconds"] + lane["idleSeconds"], wall, places=3)
        # The speed is that of the whole volume in that time.
        updates = 84 * 84 * 77 * 90
        self.assertAlmostEqual(done["gups"] * wall * 2**30 / updates, 1, places=6)

        said = self.succeed("timeline", "killed.mha.job", cwd=self.folder)
        times = re.search(r"wall time +([0-9.]+ s), without pauses of ([0-9.]+ s)", said)
        self.assertTrue(times, said)
        report = (self.folder / "killed.mha.job/report.html").read_text()
        self.assertIn(f"{times[1]}, without pauses of {times[2]}", report)
        self.assertAlmostEqual(float(times[1][:-2]), wall, delta=0.06)

        events = [json.loads(line) for line in
                  (self.folder / "killed.mha.job/events.jsonl").read_text().splitlines()]
        logs = [event["text"] for event in events if event["event"] == "log"]
        for text in ("Started 20", "Engine: CPU", "Stopped unexpectedly after ", "Resumed 20",
                     "Continues from ", f"Finished in {times[1]}"):
            self.assertEqual(sum(line.startswith(text) for line in logs), 1, (text, logs))
        self.assertEqual(len(logs), len(set(logs)), logs)
        self.assertAlmostEqual(events[-1]["workSeconds"], wall, places=6)

    def test_slabs_and_threads_do_not_change_the_volume(self):
        self.succeed("reconstruct", self.scan, *self.REQUEST, "--out", "a.mha", cwd=self.folder)
        memory = self.memory_for_slabs()
        self.succeed("reconstruct", self.scan, *self.REQUEST, "--memory", memory, "--threads", 3,
                     "--batch", 7, "--out", "b.mha", cwd=self.folder)
        done = self.document("timeline", "b.mha.job", cwd=self.folder)
        self.assertGreater([s["spans"] for s in done["stages"] if s["stage"] == "load"][0], 26)
        figures = self.document("compare", "b.mha", "a.mha", cwd=self.folder)
        self.assertLess(figures["relativeRmse"], 1e-6)


if __name__ == "__main__":
    unittest.main()
