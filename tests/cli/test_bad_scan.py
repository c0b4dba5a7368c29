"""A scan that is wrong is refused with one line that names the file or field, before long work."""

import json
import shutil
import struct
import unittest

from support import GantryTest


def change(path, value):
    """An edit of a scan's document: the field of that path, or None to remove it."""
    def edit(document):
        *parents, last = path.split(".")
        for name in parents:
            document = document[name]
        if value is None:
            del document[last]
        else:
            document[last] = value
    return edit


class BadScan(GantryTest):
    def refuse(self, parts, scan, code=2):
        """`reconstruct` and `plan` refuse the scan and leave nothing."""
        for command in ("plan", "reconstruct"):
            self.fail_with(code, parts, command, scan, "--voxels", 24, "--out", "v.mha",
                           cwd=self.folder)
            left = [p.name for p in self.folder.iterdir() if p.name not in ("v.mha.job", "s")]
            self.assertEqual(left, [])

    def copied_scan(self):
        folder = self.folder / "s"
        shutil.copytree(self.scan, folder)
        return folder

    def test_fields(self):
        for path, value, parts in (
                ("trajectory.sourceToIsocenterMm", -600, ["trajectory.sourceToIsocenterMm", "-600"]),
                ("trajectory.sourceToIsocenterMm", 0, ["trajectory.sourceToIsocenterMm"]),
                ("trajectory.sourceToDetectorMm", 500, ["500", "600"]),
                ("trajectory.views", 47, ["47", "48"]),
                ("trajectory.views", 2.5, ["trajectory.views"]),
                ("trajectory.arcDeg", 5, ["arcDeg"]),
                ("trajectory.type", "helix", ["trajectory.type", "helix"]),
                ("trajectory", None, ["trajectory"]),
                ("detector.pitchMm", [0, 1], ["detector.pitchMm"]),
                ("detector.pitchMm", [-1, 1], ["detector.pitchMm"]),
                ("detector.pitchMm", "wide", ["detector.pitchMm"]),
                ("detector.columns", 64, ["63", "64"]),
                ("detector.columns", "63", ["detector.columns"]),
                ("detector.rows", None, ["detector.rows"]),
                ("detector.colour", "red", ["colour", "unknown"]),
                ("projections.files", "nothing/*.tif", ["nothing"]),
                ("projections.files", "scan.json", ["scan.json"]),
                ("projections.kind", "photos", ["projections.kind", "photos"]),
                ("projections.flat", "dark/absent.tif", ["absent.tif"]),
                ("projections.flat", None, ["projections.flat"]),
                ("gantryScan", 9, ["gantryScan", "9"]),
                ("volume", {"voxels": [9, 9, 9], "pitchMm": [200, 1, 1], "centerMm": [0, 0, 0]},
                 ["volume"])):
            with self.subTest(path=path, value=value):
                scan = self.edited_scan(change(path, value))
                command = ["--out", "v.mha"] if path == "volume" else ["--voxels", 24]
                self.fail_with(2, parts, "reconstruct", scan, *command, cwd=self.folder)
                self.assertEqual([p.name for p in self.folder.glob("*.mha")], [])
                self.doCleanups()

    def test_text_that_is_no_scan(self):
        for text, part in (("{\"gantryScan\": 1,", "line 1"),
                           ("", "line 1"),
                           ("[1, 2]", "object"),
                           ("{\"gantryScan\": NaN}", "JSON"),
                           ("{\"gantryScan\": 1e999}", "scan.json"),
                           ("\x00\x01\xff", "scan.json")):
            with self.subTest(text=text):
                (self.folder / "s").mkdir(exist_ok=True)
                path = self.folder / "s/scan.json"
                path.write_text(text)
                self.refuse([path, part], path)

    def test_a_file_that_is_something_else_is_said_to_be(self):
        folder = self.folder / "s"
        folder.mkdir()
        (folder / "other.json").write_text("{\"name\": \"settings\"}")
        self.refuse(["other.json is not a Gantry scan"], folder / "other.json")
        (folder / "notes.txt").write_text("hello")
        scan = self.edited_scan(change("projections.files", str(folder / "notes.txt")))
        self.refuse(["notes.txt: unknown format. Gantry reads TIFF, MetaImage, HDF5 (NXtomo, Data "
                     "Exchange), ZEISS Xradia, Varian .xim and .hnd, Elekta .his and raw files with a JSON header, and "
                     "scans by the file"], scan)

    def test_angles_that_do_not_match_the_files(self):
        def edit(document):
            trajectory = document["trajectory"]
            for name in ("startDeg", "arcDeg", "views"):
                trajectory.pop(name, None)
            trajectory["anglesDeg"] = [7.5 * s for s in range(40)]
        self.refuse(["40", "48"], self.edited_scan(edit))

    def test_missing_things(self):
        self.refuse(["absent.json"], self.folder / "absent.json")
        empty = self.folder / "s"
        empty.mkdir()
        self.refuse([empty], empty)
        self.fail_with(2, [empty], "inspect", empty)
        self.fail_with(2, ["absent"], "inspect", "absent")

    def test_a_folder_for_a_file(self):
        folder = self.copied_scan()
        (folder / "proj/proj_0005.tif").unlink()
        (folder / "proj/proj_0005.tif").mkdir()
        self.refuse(["proj_0005.tif"], folder)

    def test_a_missing_number(self):
        folder = self.copied_scan()
        (folder / "proj/proj_0005.tif").unlink()
        self.refuse(["proj_0005.tif"], folder)

    def test_truncated_and_foreign_files(self):
        folder = self.copied_scan()
        image = folder / "proj/proj_0031.tif"
        whole = image.read_bytes()
        for stump in (whole[:len(whole) // 2], whole[:6], b"", b"\x89PNG\r\n\x1a\n" + whole):
            image.write_bytes(stump)
            self.refuse(["proj_0031.tif"], folder)
        image.write_bytes(whole)
        flat = folder / "flat/flat_0001.tif"
        flat.write_bytes(flat.read_bytes()[:1000])
        self.refuse(["flat_0001.tif"], folder)

    def test_a_header_that_claims_terabytes(self):
        folder = self.copied_scan()
        side = 1 << 20
        tags = [(256, 4, side), (257, 4, side), (258, 3, 16), (259, 3, 1), (262, 3, 1),
                (273, 4, 8), (277, 3, 1), (278, 4, side), (279, 4, 0xFFFFFFF0)]
        directory = struct.pack("<H", len(tags))
        for tag, kind, value in tags:
            directory += struct.pack("<HHII", tag, kind, 1, value)
        bomb = b"II*\0" + struct.pack("<I", 16) + bytes(8) + directory + bytes(4)
        (folder / "proj/proj_0000.tif").write_bytes(bomb)
        self.refuse(["proj_0000.tif"], folder)
        self.fail_with(2, ["proj_0000.tif"], "inspect", folder / "proj/proj_0000.tif")

    def test_images_of_mixed_sizes(self):
        folder = self.copied_scan()
        other = self.simulate("--detector", "50x49", "--views", 8, out=self.folder / "s/other")
        shutil.copy(other.parent / "proj/proj_0003.tif", folder / "proj/proj_0003.tif")
        self.refuse(["proj_0003.tif", "50"], folder)

    def test_inspect_lists_what_is_wrong(self):
        scan = self.edited_scan(change("trajectory.views", 40))
        done = self.fail_with(2, ["40", "48"], "inspect", scan)
        self.assertIn("projections.files", done)
        folder = self.simulate("--compression", "deflate", out=self.folder / "s").parent
        image = folder / "proj/proj_0010.tif"
        whole = image.read_bytes()
        image.write_bytes(whole[:100] + b"\xff" * 400 + whole[500:])
        facts = self.document("inspect", folder)
        numbers = [s["number"] for s in facts["series"][0]["suspects"]]
        self.assertEqual(numbers, [10])

    def test_views_in_another_order_than_their_names_say_are_refused_by_every_command(self):
        scan = self.simulate("--views", 12, out=self.folder / "scan")
        for i, view in enumerate(sorted((scan.parent / "proj").iterdir())):
            view.rename(view.with_name(f"p_{30.5 * i:.1f}.tif"))
        document = json.loads(scan.read_text())
        angles = [30.5 * i for i in range(12)]
        document["trajectory"]["anglesDeg"] = angles[:2] + [91.5, 61.0] + angles[4:]
        for field in ("startDeg", "arcDeg", "views"):
            document["trajectory"].pop(field, None)
        document["projections"]["files"] = "proj/*.tif"
        scan.write_text(json.dumps(document))
        volume = self.folder / "v.mha"
        for words in (["reconstruct", scan, "--voxels", 20, "--out", volume], ["align", scan],
                      ["plan", scan, "--voxels", 20]):
            with self.subTest(command=words[0]):
                self.fail_with(2, ["hold the angles of the trajectory in another order"], *words)

    def test_plans_and_reports_tell_what_pictures_show(self):
        wide = self.simulate("--phantom", "spheres", "--phantom-scale-mm", 190,
                             out=self.folder / "wide")
        good = self.simulate("--phantom", "spheres", "--phantom-scale-mm", 60,
                             out=self.folder / "good")
        words = ("--voxels", 24, "--out", self.folder / "v.mha")
        told = "The object reaches the left and right edges of the detector"
        self.assertEqual(self.document("plan", good, *words)["warnings"], [])
        warnings = self.document("plan", wide, *words)["warnings"]
        self.assertTrue(warnings[0].startswith(told), warnings)
        self.assertIn(told, self.succeed("plan", wide, *words))
        self.succeed("reconstruct", wide, *words)
        self.assertIn(told, (self.folder / "v.mha.job/report.html").read_text())
        self.assertIn(told, (self.folder / "v.mha.job/events.jsonl").read_text())


if __name__ == "__main__":
    unittest.main()
