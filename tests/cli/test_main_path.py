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


if __name__ == "__main__":
    unittest.main()
