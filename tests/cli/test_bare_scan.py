"""Images without a description are reconstructed as they state and show it, and described on request."""

import json
import shutil
import unittest

from support import GantryTest, run


class BareScan(GantryTest):
    def setUp(self):
        super().setUp()
        self.bare = self.folder / "bare"
        shutil.copytree(self.scan, self.bare)
        (self.bare / "scan.json").unlink()

    def test_a_folder_of_images_is_reconstructed(self):
        done = run("reconstruct", self.bare, "--voxels", 12, "--out", self.folder / "a.mha")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has no description", done.stderr)
        self.assertIn("trajectory.direction: Not seen in the images", done.stderr)

        # Its description says the same, from whatever folder.
        for place in (self.bare / "found.json", self.folder / "elsewhere.json"):
            text = self.succeed("inspect", self.bare, "--write", place)
            self.assertIn("Wrote " + str(place), text)
            self.succeed("reconstruct", place, "--voxels", 12, "--out", self.folder / "b.mha",
                         "--job", self.folder / "b.job")
            self.assertEqual((self.folder / "a.mha").read_bytes(),
                             (self.folder / "b.mha").read_bytes())
            shutil.rmtree(self.folder / "b.job")
        files = json.loads((self.folder / "elsewhere.json").read_text())["projections"]
        self.assertTrue(files["files"].startswith("bare/proj/"), files)
        self.assertTrue(files["flat"].startswith("bare/flat/"), files)

    def test_inspect_tells_what_it_assumes(self):
        text = self.succeed("inspect", self.bare / "proj")
        self.assertIn("There is no scan.json", text)
        self.assertIn("projections.flat: Taken for that by the name of the folder", text)
        found = self.document("inspect", self.bare, "--write", self.bare / "found.json")
        fields = [one["field"] for one in found["guesses"]]
        self.assertIn("trajectory.direction", fields)
        self.assertEqual(found["written"], str(self.bare / "found.json"))

    def test_inspect_tells_what_the_pictures_say_against_it(self):
        views = sorted((self.bare / "proj").iterdir())
        views[1].write_bytes(views[3].read_bytes())
        text = self.succeed("inspect", self.bare)
        self.assertIn("view 3 is a copy of view 1", text)
        fields = [one["field"] for one in self.document("inspect", self.bare)["problems"]]
        self.assertIn("projections.files", fields)

    def test_flat_frames_from_after_the_scan_are_described(self):
        (self.bare / "flat").rename(self.bare / "Flat_Before")
        shutil.copytree(self.bare / "Flat_Before", self.bare / "Flat_After")
        self.succeed("inspect", self.bare, "--write", self.bare / "found.json")
        files = json.loads((self.bare / "found.json").read_text())["projections"]
        self.assertTrue(files["flat"].startswith("Flat_Before/"), files)
        self.assertTrue(files["flatAfter"].startswith("Flat_After/"), files)
        self.succeed("inspect", self.bare / "found.json")

    def test_a_volume_or_a_job_is_no_scan(self):
        volume = self.folder / "v.mha"
        self.succeed("reconstruct", self.scan, "--voxels", 12, "--out", volume)
        out = self.folder / "w.mha"
        self.fail_with(2, [volume, "is a volume", "--write"], "reconstruct", volume, "--out", out)
        self.fail_with(2, ["is the folder of a job"], "reconstruct", self.folder / "v.mha.job",
                       "--out", out)
        # MetaImages do not tell, so that one may be described as projections.
        self.succeed("inspect", volume, "--write", self.folder / "as.json")
        self.succeed("reconstruct", self.scan, "--voxels", 12, "--out", self.folder / "slices")
        self.fail_with(2, ["is a volume"], "inspect", self.folder / "slices", "--write",
                       self.folder / "no.json")

    def test_a_metaimage_of_projections_is_opened_as_a_scan_on_request(self):
        stack = self.folder / "stack.mha"
        self.succeed("reconstruct", self.scan, "--voxels", 12, "--out", stack)
        self.assertNotIn("--write", self.succeed("inspect", stack))
        # Nothing tells any more who made it.
        (self.folder / "stack.mha.provenance.json").unlink()
        self.assertIn(f"gantry inspect {stack} --write scan.json", self.succeed("inspect", stack))
        self.succeed("inspect", stack, "--write", self.folder / "scan-of-stack.json")
        plan = self.document("plan", self.folder / "scan-of-stack.json")
        self.assertGreater(plan["outputBytes"], 0)

    def test_what_is_read_is_not_written(self):
        view = next((self.bare / "proj").iterdir())
        before = view.read_bytes()
        self.fail_with(2, [view.name], "inspect", self.bare, "--write", view)
        self.assertEqual(view.read_bytes(), before)
        self.fail_with(2, ["--write", "is described already"], "inspect", self.scan, "--write",
                       self.folder / "again.json")
        self.fail_with(2, ["nowhere"], "reconstruct", self.folder / "nowhere")


if __name__ == "__main__":
    unittest.main()
