"""Folders and files may have any name that the system allows."""

import json
import os
import pathlib
import unittest

from support import GantryTest

NAMES = ["a scan", "Müller's \"walnut\"", "-5 °C; $HOME & more", "100% [new] *?"]


class Names(GantryTest):
    def test_main_path_in_oddly_named_folders(self):
        for name in NAMES:
            with self.subTest(name=name):
                home = self.folder / name
                home.mkdir()
                scan = self.simulate(out=home / ("scan " + name))
                volume = home / ("volume " + name + ".mha")
                self.succeed("inspect", scan)
                self.succeed("reconstruct", scan, "--voxels", 24, "--out", volume)
                figures = self.document("compare", volume, "--phantom", "shepp-logan")
                self.assertIn("phantom.json", figures["placement"])
                self.succeed("timeline", str(volume) + ".job")
                self.succeed("worker", str(volume) + ".job")

    def test_a_name_that_is_no_utf8_may_be_given_as_files_of_jobs_have_it(self):
        home = self.folder / os.fsdecode(b"Messung_\xfc")
        home.mkdir()
        scan = self.simulate(out=home / "scan")
        volume = home / "volume.mha"
        self.succeed("reconstruct", scan, "--voxels", 24, "--out", volume)
        job = json.loads(pathlib.Path(str(volume) + ".job", "job.json").read_text())
        self.assertIn("Messung_\uf7fc", job["scanFile"])
        self.succeed("inspect", job["scanFile"])

    def test_a_message_stays_on_one_line(self):
        self.fail_with(2, ["no such"], "inspect", "line one\nline two.json")


if __name__ == "__main__":
    unittest.main()
