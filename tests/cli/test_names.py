"""Folders and files may have any name that the system allows."""

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

    def test_a_message_stays_on_one_line(self):
        self.fail_with(2, ["no such"], "inspect", "line one\nline two.json")


if __name__ == "__main__":
    unittest.main()
