"""A scan's geometry and settings are verified by test pieces, simulated or real."""

import array
import json
import math
import unittest

from support import GantryTest, run


class Verify(GantryTest):
    SCAN = ["--views", 180, "--detector", "121x109", "--pitch-mm", 2, "--sdd-mm", 1200]

    def figures(self, document):
        return {(f["piece"], f["id"]): f for f in document["figures"]}

    def test_a_good_scan_passes(self):
        report = self.folder / "größe 'n.html"
        found = self.document("verify", self.scan, "--report", report, "--volumes",
                              self.folder / "volumes")
        self.assertTrue(found["passed"], found["verdict"])
        self.assertEqual([piece["piece"] for piece in found["pieces"]],
                         ["shepp-logan", "cylinder", "spheres"])
        figures = self.figures(found)
        self.assertLess(abs(figures["spheres", "scalePercent"]["value"]), 0.02)
        self.assertGreater(figures["cylinder", "mtf10PerMm"]["value"],
                           figures["cylinder", "mtf10PerMm"]["min"])
        self.assertIn("nothing is wrong", found["sentences"][0])
        page = report.read_text()
        for figure in found["figures"]:
            self.assertIn(figure["shown"], page)
        # Its figures are those of gantry compare.
        compared = self.document("compare", self.folder / "volumes/shepp-logan.mha",
                                 self.folder / "volumes/shepp-logan-truth.mha")
        self.assertAlmostEqual(compared["rmse"], figures["shepp-logan", "rmse"]["value"], places=9)
        self.assertAlmostEqual(compared["ssim"], figures["shepp-logan", "ssim"]["value"], places=9)

    def test_larger_pixels_are_less_sharp(self):
        def sharpness(*words):
            found = self.document("verify", self.scan, "--phantom", "cylinder", *words)
            return self.figures(found)["cylinder", "mtf10PerMm"]["value"]
        self.assertLess(sharpness("--bin", 2), 0.7 * sharpness())

    def test_a_wrong_geometry_is_named_and_fails(self):
        for words, parts in [(["sod=+1%"], ["SOD", "1.0"]), (["sod=-1%"], ["too small"]),
                             (["roll=1deg"], ["roll"]), (["offset=2px"], ["offset", "2."]),
                             (["tilt=3", "roll=1"], ["neither"])]:
            perturbed = [part for word in words for part in ("--perturb", word)]
            done = run("verify", self.scan, "--phantom", "spheres", *perturbed, "--json")
            self.assertEqual(done.returncode, 1, done.stderr)
            found = json.loads(done.stdout)
            self.assertFalse(found["passed"])
            if "SOD" in parts:
                parts = ["SOD"]
            for part in parts:
                self.assertIn(part, found["sentences"][0])
        # The same from another scan's file.
        other = self.edited_scan(lambda scan: scan["trajectory"].update(sourceToIsocenterMm=606))
        done = run("verify", self.scan, "--phantom", "spheres", "--reconstruct-as", other)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("Lengths are wrong", done.stdout)

    def test_the_report_names_what_is_wrong_on_purpose(self):
        report = self.folder / "report.html"
        wrong = ["Wrong on purpose: the source–object distance (SOD), by -1 %.",
                 "Wrong on purpose: the detector's roll, by 1.5°."]
        command = ["verify", self.scan, "--phantom", "cylinder", "--report", report]
        done = run(*command, "--perturb", "sod=-1%", "--perturb", "roll=+1.5deg", "--json")
        self.assertEqual(json.loads(done.stdout)["wrongOnPurpose"], wrong)
        for sentence in wrong:
            self.assertIn(sentence, report.read_text())
        other = self.edited_scan(lambda scan: scan["trajectory"].update(sourceToIsocenterMm=606))
        done = run(*command, "--reconstruct-as", other)
        sentence = f"Reconstructed on purpose with the geometry of {other}."
        self.assertIn(sentence, done.stdout)
        self.assertIn(sentence, report.read_text())
        self.assertIn("SOD 606 mm", report.read_text())
        self.succeed(*command)
        self.assertNotIn("purpose", report.read_text())

    def test_limits_can_be_given(self):
        limits = self.folder / "limits.json"
        limits.write_text('{"gantryLimits": 1, "maxFormVoxels": 2, "minSsim": 0.1}')
        self.succeed("verify", self.scan, "--phantom", "spheres", "--limits", limits)
        limits.write_text('{"gantryLimits": 1, "maxFormVoxels": 0.01}')
        self.fail_with(1, ["A limit is missed", "form error PF"], "verify", self.scan, "--phantom",
                       "spheres", "--limits", limits)
        limits.write_text('{"gantryLimits": 1, "maxScale": 2}')
        self.fail_with(2, ["limits.json", "maxScale"], "verify", self.scan, "--limits", limits)

    def test_a_volume_of_a_real_piece_is_measured(self):
        pieces = self.folder / "volumes"
        simulated = self.figures(self.document("verify", self.scan, "--volumes", pieces))
        rim = self.figures(self.document("verify", "--volume", pieces / "cylinder.mha"))
        self.assertAlmostEqual(rim["cylinder", "mtf50PerMm"]["value"],
                               simulated["cylinder", "mtf50PerMm"]["value"], delta=0.004)
        # How the spheres stand to each other is known, where they stand in the volume is not.
        centers = [[0, 0, 0], [30, 0, 0], [0, 25, 0], [5, 5, 28]]
        kind = {"kind": "sphere", "radiusMm": 7, "attenuation": 0.05}
        shapes = [{**kind, "centerMm": [x - 10, y - 8, z - 12]} for x, y, z in centers]
        balls = self.folder / "balls.json"
        balls.write_text(json.dumps({"gantryShapes": 1, "shapes": shapes}))
        self.succeed("verify", self.scan, "--shapes", balls, "--volumes", pieces)
        nominal = self.folder / "nominal.json"
        nominal.write_text(json.dumps({"gantryShapes": 1, "shapes": [
            {**kind, "centerMm": [-1.001 * y, 1.001 * x, 1.001 * z]} for x, y, z in centers]}))
        done = run("verify", self.scan, "--volume", pieces / "shapes.mha", "--piece", "spheres",
                   "--spheres", nominal, "--json")
        figures = self.figures(json.loads(done.stdout))
        self.assertAlmostEqual(figures["spheres", "scalePercent"]["value"], -0.1, delta=0.02)

    def raw_volume(self, name, voxels, value):
        """A MetaImage of voxels of 0.5 × 0.5 × 0.8 mm about the origin; value: of a place in mm."""
        n_x, n_y, n_z = voxels
        place = [[(i - (n - 1) / 2) * pitch for i in range(n)]
                 for n, pitch in zip(voxels, (0.5, 0.5, 0.8))]
        values = array.array("f", (value(x, y, z) for z in place[2] for y in place[1]
                                   for x in place[0]))
        header = (f"ObjectType = Image\nNDims = 3\nDimSize = {n_x} {n_y} {n_z}\n"
                  f"ElementSpacing = 0.5 0.5 0.8\n"
                  f"Offset = {place[0][0]} {place[1][0]} {place[2][0]}\n"
                  "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n")
        path = self.folder / name
        path.write_bytes(header.encode() + values.tobytes())
        return path

    def test_a_volume_is_measured_whichever_side_is_longer(self):
        def edge(outwards):
            return 0.02 / (1 + math.exp(min(60, 4 * outwards)))

        def measured(voxels, centre):
            rod = self.raw_volume(
                "rod.mha", voxels,
                lambda x, y, z: edge(math.hypot(x - centre[0], y - centre[1]) - 8))
            found = self.document("verify", "--volume", rod)["pieces"][0]["cylinder"]
            self.assertAlmostEqual(found["radiusMm"], 8, delta=0.02)
            for axis in range(2):
                self.assertAlmostEqual(found["centerMm"][axis], centre[axis], delta=0.02)
        measured([96, 44, 9], [-9, 1])
        measured([44, 96, 9], [1, -9])

        centres = [[-18, 1, 0], [-4, -3, 2], [8, 3, -2], [19, -2, 1]]

        def balls(x, y, z):
            return sum(edge(math.dist((x, y, z), centre) - 3) for centre in centres)
        known = self.folder / "balls.json"
        known.write_text(json.dumps({"gantryShapes": 1, "shapes": [
            {"kind": "sphere", "centerMm": centre, "radiusMm": 3, "attenuation": 0.02}
            for centre in centres]}))
        for voxels, turned in (([100, 32, 22], False), ([32, 100, 22], True)):
            volume = self.raw_volume("balls.mha", voxels, lambda x, y, z: (
                balls(y, -x, z) if turned else balls(x, y, z)))
            done = run("verify", "--volume", volume, "--piece", "spheres", "--spheres", known,
                       "--json")
            found = json.loads(done.stdout)
            figures = self.figures(found)
            self.assertAlmostEqual(figures["spheres", "scalePercent"]["value"], 0, delta=0.1)
            for ball in found["pieces"][0]["spheres"]:
                self.assertLess(math.dist(ball["centerMm"], ball["knownMm"]), 0.02)

    def test_wrong_requests(self):
        self.fail_with(2, ["Name a scan"], "verify")
        self.fail_with(2, ["--perturb is 'wobble=1'", "roll="], "verify", self.scan, "--perturb",
                       "wobble=1")
        self.fail_with(2, ["sod=lots", "--perturb"], "verify", self.scan, "--perturb", "sod=lots")
        self.fail_with(2, ["--blur-px is -1"], "verify", self.scan, "--blur-px", -1)
        self.fail_with(2, ["too coarse"], "verify", self.scan, "--voxels", 30)
        self.fail_with(2, ["--spheres"], "verify", "--volume", "x.mha", "--piece", "spheres")
        self.fail_with(2, ["nowhere.mha"], "verify", "--volume", "nowhere.mha")
        self.fail_with(2, ["nowhere.json"], "verify", self.scan, "--shapes", "nowhere.json")


if __name__ == "__main__":
    unittest.main()
