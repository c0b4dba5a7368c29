"""With --json every command prints one JSON document and nothing else."""

import json
import unittest

from support import GantryTest, run


class Json(GantryTest):
    def test_documents(self):
        here = {"cwd": self.folder}
        made = self.document("simulate", "--views", 30, "--detector", "40x30", "--out", "s", **here)
        self.assertEqual((made["views"], made["columns"], made["rows"]), (30, 40, 30))
        facts = self.document("inspect", "s", **here)
        self.assertEqual([s["kind"] for s in facts["series"]], ["projections", "dark", "flat"])
        self.assertAlmostEqual(facts["geometry"]["magnification"], 2)
        self.assertEqual([each for each in facts["problems"] if each["severity"] == "error"], [])
        plan = self.document("plan", "s", "--voxels", 30, **here)
        self.assertEqual(plan["voxels"][0], 30)
        self.assertEqual(set(plan["forecastSeconds"]),
                         {"load", "prepare", "filter", "back-project", "store"})
        self.assertIn(plan["boundingStage"], plan["forecastSeconds"])
        done = self.document("reconstruct", "s", "--voxels", 30, "--out", "v.mha", **here)
        self.assertEqual(done["voxels"], plan["voxels"])
        self.assertEqual(done["invalidPixels"]["negative"], 0)
        again = self.document("worker", "v.mha.job", **here)
        self.assertEqual(again["volume"], done["volume"])
        document = self.document("timeline", "v.mha.job", **here)
        self.assertEqual(document["state"], "done")
        self.assertIn("back-project", [s["stage"] for s in document["stages"]])
        self.assertNotIn("forecastWallSeconds", document)
        seconds = {stage: 1 for stage in plan["forecastSeconds"]}
        (self.folder / "v.mha.job/forecast.json").write_text(
            json.dumps({"seconds": seconds, "wallSeconds": 12.5}))
        document = self.document("timeline", "v.mha.job", **here)
        self.assertEqual(document["forecastWallSeconds"], 12.5)
        self.assertRegex(self.succeed("timeline", "v.mha.job", **here), "forecast +12.5 s")
        same = self.document("compare", "v.mha", "v.mha", **here)
        self.assertEqual(same["rmse"], 0)
        self.assertIsNone(same["psnrDb"])
        facts = self.document("inspect", "v.mha", **here)
        self.assertEqual(facts["volume"]["voxels"], done["voxels"])

    def test_bare_images_say_what_is_missing(self):
        facts = self.document("inspect", self.scan / "proj")
        self.assertEqual(facts["series"][0]["images"], 48)
        self.assertIn("detector.pitchMm", facts["missing"])
        self.assertIn("There is no scan.json", self.succeed("inspect", self.scan / "proj"))

    def test_problems_are_in_the_document_too(self):
        def edit(document):
            document["trajectory"]["sourceToDetectorMm"] = 500
        done = run("inspect", self.edited_scan(edit), "--json")
        self.assertEqual(done.returncode, 2)
        problems = json.loads(done.stdout)["problems"]
        self.assertEqual(problems[0]["severity"], "error")
        self.assertIn("500", problems[0]["message"])

    def test_bench_prints_the_ratios(self):
        document = self.document("bench", "cpu", "--quick", "--folder", self.folder)
        for kernel in document["kernels"]:
            self.assertLess(kernel["uniformRelativeRmse"], 1e-6)
            self.assertLess(kernel["noiseRelativeRmse"], 5e-6)
            self.assertGreater(kernel["ratio"], 0)
        self.assertGreater(document["cores"]["efficiency"], 0)
        self.assertGreater(document["run"]["wallOverCpuShare"], 0)
        self.assertEqual(list(self.folder.iterdir()), [])
        document = self.document("bench", "machine", "--quick", "--folder", self.folder)
        self.assertGreater(document["updatesPerSecond"], 0)


if __name__ == "__main__":
    unittest.main()
