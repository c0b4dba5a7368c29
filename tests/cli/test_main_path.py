"""From nothing to a verified volume, by the commands that the README shows."""

import json
import unittest

from support import GantryTest, run


class MainPath(GantryTest):
    def test_scan_to_verified_volume(self):
        here = self.folder
        said = self.succeed("simulate", "--phantom", "shepp-logan", "--views", 180, "--detector",
                            "128x128", "--out", "scan/", cwd=here)
        self.assertIn("180 views of 128 × 128 pixels", said)
        said = self.succeed("inspect", "scan/scan.json", cwd=here)
        for part in ("16-bit", "full circle", "magnification", "no problems", "field of view"):
            self.assertIn(part, said)
        said = self.succeed("plan", "scan/scan.json", "--voxels", 128, cwd=here)
        for part in ("memory", "back-project", "bound by"):
            self.assertIn(part, said)
        self.assertFalse((here / "volume.mha").exists())
        self.assertEqual([p for p in here.iterdir() if "rate" in p.name], [])
        said = self.succeed("reconstruct", "scan/scan.json", "--voxels", 128, "--out",
                            "volume.mha", cwd=here)
        for part in ("full circle", "overlap", "GUPS", "volume.mha", "report.html"):
            self.assertIn(part, said)
        said = self.succeed("compare", "volume.mha", "--phantom", "shepp-logan", cwd=here)
        self.assertIn("Kak-Slaney", said)
        said = self.succeed("timeline", "volume.mha.job", "--chrome", "trace.json", cwd=here)
        self.assertRegex(said, r"overlap +\d+\.\d\d \(sum of the stages' times / wall time\)")
        self.assertTrue(json.loads((here / "trace.json").read_text())["traceEvents"])
        self.assertEqual([p.name for p in here.iterdir() if p.name.endswith(".part")], [])

    def test_the_report_shows_the_forecast_of_every_stage(self):
        said = self.succeed("reconstruct", self.scan, "--voxels", 24, "--forecast", "--out",
                            "v.mha", cwd=self.folder)
        for stage in ("load", "prepare", "filter", "back-project", "store"):
            self.assertRegex(said, rf"(?m)^  {stage} .*s$")
        self.assertIn("the forecast was", said)
        report = (self.folder / "v.mha.job/report.html").read_text()
        self.assertIn("the forecast was", report)

    def test_the_volume_is_right(self):
        scan = self.simulate("--views", 180, "--detector", "128x128", "--sdd-mm", 1200,
                             out=self.folder / "scan")
        self.succeed("reconstruct", scan, "--voxels", "128", "--out", "v.mha", cwd=self.folder)
        figures = self.document("compare", "v.mha", "--phantom", "shepp-logan", cwd=self.folder)
        self.assertIn("phantom.json", figures["placement"])
        self.assertGreaterEqual(len(figures["regions"]), 3)
        # Voxels of 1.6 mm blur: half a percent holds for the regions, whose edges are kept off.
        for region in figures["regions"]:
            self.assertLess(abs(region["errorPercent"]), 0.5, region)
        # RTK's published threshold for 180 views: PSNR above 26 dB.
        self.assertGreater(figures["psnrDb"], 26)

    def test_every_command_has_help_with_examples(self):
        said = self.succeed("--help")
        self.assertIn("gantry reconstruct", said)
        commands = ["simulate", "inspect", "plan", "reconstruct", "worker", "compare", "timeline",
                    "bench"]
        for command in [[c] for c in commands] + [["geometry", "convert"], ["bench", "cpu"]]:
            said = self.succeed(*command, "--help")
            self.assertIn("Examples:\n  gantry " + command[0], said)
        self.assertRegex(self.succeed("--version"), r"^gantry \d+\.\d+\.\d+\n$")

    def test_outputs_of_every_kind_agree(self):
        for name in ("a.mha", "b.mhd", "c.raw", "d.tif", "slices"):
            self.succeed("reconstruct", self.scan, "--voxels", "31x29x17", "--out", name,
                         cwd=self.folder)
            figures = self.document("compare", name, "a.mha", cwd=self.folder)
            self.assertEqual(figures["maxError"], 0, name)
        self.succeed("reconstruct", self.scan, "--voxels", "31x29x17", "--type", "uint16",
                     "--range=-0.01,0.03", "--out", "e.mha", cwd=self.folder)
        figures = self.document("compare", "e.mha", "a.mha", cwd=self.folder)
        # Half a step of 0.04 / 65535, and the rounding of floats.
        self.assertLess(figures["maxError"], 0.31e-6 + 1e-8)

    def test_comparison_writes_report_and_profile(self):
        self.succeed("reconstruct", self.scan, "--voxels", 48, "--out", "v.mha", cwd=self.folder)
        self.succeed("compare", "v.mha", "--phantom", "shepp-logan", "--report", "report",
                     "--profile", "-50,0,0:50,0,0", "--profile-out", "line.csv", "--slices",
                     "10:20", "--mask-radius-mm", 90, cwd=self.folder)
        self.assertTrue((self.folder / "report/comparison.png").read_bytes()
                        .startswith(b"\x89PNG"))
        lines = (self.folder / "line.csv").read_text().splitlines()
        self.assertEqual(lines[0], "distance_mm,volume_per_mm,truth_per_mm")
        self.assertEqual(float(lines[-1].split(",")[0]), 100)

    def test_limits_of_compare_decide_the_exit_code(self):
        self.succeed("reconstruct", self.scan, "--voxels", 32, "--out", "v.mha", cwd=self.folder)
        self.succeed("compare", "v.mha", "--phantom", "shepp-logan", "--max-rmse", 1,
                     cwd=self.folder)
        done = run("compare", "v.mha", "--phantom", "shepp-logan", "--min-psnr", 200,
                   cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--min-psnr", done.stderr)


class StackOfScans(GantryTest):
    """One tall object, between whose scans the stage moves it along the axis."""

    PITCH = 4.0  # mm
    STEP = 60.0  # mm: 15 of 23 rows

    def scan_at(self, name, height, rows=23, *words):
        return self.simulate("--beam", "parallel", "--views", 48, "--detector", f"41x{rows}",
                             "--pitch-mm", self.PITCH, "--kind", "attenuation",
                             "--phantom-scale-mm", 70, f"--phantom-center-mm=4,-7,{3 - height}",
                             *words, out=self.folder / name)

    def test_slices_of_parallel_beams_are_those_of_one_tall_scan(self):
        heights = (self.STEP, 0, -self.STEP)
        scans = [self.scan_at(f"scan {i}", height) for i, height in enumerate(heights)]
        tall = self.scan_at("tall", 0, 53)
        largest = self.document("reconstruct", tall, "--out", "tall.mha",
                                cwd=self.folder)["largest"]
        words = ["reconstruct", scans[0], "--stack", scans[1], "--stack", scans[2], "--out",
                 "stack.mha"]
        self.fail_with(2, ["scan 2", "scan 1", "seen whole by neither"], *words, "--step-mm", -120,
                       cwd=self.folder)
        for heights, part in (("0,1", "has 2 heights"),
                              ("0,1,", "'0,1,'; it must be numbers with commas between")):
            self.fail_with(2, [part], *words, f"--heights-mm={heights}", cwd=self.folder)
        self.fail_with(2, ["--stack", "without --ranks"], *words, "--ranks", 2, cwd=self.folder)
        # Interrupted by an image that is missing: what is finished is kept.
        image = sorted((scans[0].parent / "proj").glob("*.tif"))[5]
        aside = image.rename(image.with_suffix(".away"))
        heights_word = "--heights-mm=60,0,-60"
        self.fail_with(2, ["scan 0"], *words, heights_word, cwd=self.folder)
        self.assertFalse((self.folder / "stack.mha").exists())
        aside.rename(image)
        kept = self.folder / "stack.mha.stack/scan_03.mha"
        events = kept.with_suffix(".mha.job") / "events.jsonl"
        finished = events.read_bytes()
        document = self.document(*words, heights_word, cwd=self.folder)
        self.assertEqual(events.read_bytes(), finished)
        self.assertFalse(kept.exists())
        self.assertEqual([part["slices"] for part in document["parts"]],
                         [[0, 23], [15, 38], [30, 53]])
        self.assertEqual(document["voxels"], [41, 41, 53])
        record = json.loads((self.folder / "stack.mha.provenance.json").read_text())
        self.assertEqual(document["record"], str(self.folder / "stack.mha.provenance.json"))
        self.assertEqual(record["request"]["volume"]["voxels"], [41, 41, 53])
        self.assertEqual(record["request"]["scanFile"], str(scans[0]))
        self.assertIn("--heights-mm", record["notes"][0])
        self.assertEqual(len(record["notes"]), 3)  # with how two pairs of neighbours fit
        self.assertEqual([(part["scan"], part["heightMm"], part["slices"])
                          for part in record["stack"]],
                         [(str(scans[2]), -self.STEP, [0, 23]), (str(scans[1]), 0, [15, 38]),
                          (str(scans[0]), self.STEP, [30, 53])])
        for part, scan in zip(record["stack"], (scans[2], scans[1], scans[0])):
            self.assertEqual(part["request"]["scanFile"], str(scan))
            self.assertTrue(part["engine"] and part["notes"] and part["program"])
        read = [entry["file"] for entry in record["inputs"]]
        for scan in scans:
            self.assertIn(str(sorted((scan.parent / "proj").glob("*.tif"))[7]), read)
        for overlap in document["overlaps"]:
            self.assertEqual(overlap["slices"], 8)
            self.assertTrue(overlap["isKnown"])
            # The limit is a part of a slice: its neighbours do not differ by the same on both sides.
            self.assertLess(abs(overlap["shiftMm"]), self.PITCH / 4)
            self.assertLess(overlap["difference"], 1e-5)
        # The same rays by other rows: rounding of single precision is left.
        figures = self.document("compare", "stack.mha", "tall.mha", cwd=self.folder)
        self.assertLess(figures["maxError"], 2e-6 * largest)

        # A stage that moved a row farther than is said shows in the overlap.
        said = self.succeed("reconstruct", scans[1], "--stack", scans[0], "--step-mm",
                            self.STEP - self.PITCH, "--out", "wrong.mha", cwd=self.folder)
        self.assertRegex(said, r"fit best with the upper one \+[34]\.\d\d mm from its stated")

    def test_cones_give_what_they_see_whole(self):
        scans = [self.simulate("--views", 60, "--detector", "63x49", "--kind", "attenuation",
                               "--phantom-scale-mm", 70, f"--phantom-center-mm=0,0,{-height}",
                               out=self.folder / f"cone {height}") for height in (0, 70)]
        document = self.document("reconstruct", scans[0], "--stack", scans[1], "--step-mm", 70,
                                 "--out", "stack.mha", cwd=self.folder)
        (overlap,) = document["overlaps"]
        self.assertGreater(overlap["slices"], 6)
        # Cones see the overlap from below and from above: no two see quite the same.
        self.assertLess(overlap["difference"], 0.3)
        self.assertLess(abs(overlap["shiftMm"]), document["pitchMm"][2])


if __name__ == "__main__":
    unittest.main()
