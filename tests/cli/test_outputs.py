"""What is read is never overwritten, and what cannot be written ends in a sentence."""

import json
import os
import resource
import shutil
import stat
import subprocess
import unittest

from support import GANTRY, GantryTest, run


class Outputs(GantryTest):
    VOLUME = ["--voxels", 16, "--engine", "cpu"]

    def setUp(self):
        super().setUp()
        self.copy = self.folder / "scan"
        shutil.copytree(self.scan, self.copy)
        self.view = sorted((self.copy / "proj").glob("*.tif"))[3]

    def assert_spared(self, *words, parts=("would be lost",), code=2):
        """It is refused, and no file is changed, new or gone."""
        before = self.state()
        self.fail_with(code, list(parts), *words)
        self.assertEqual(self.state(), before)

    def state(self):
        return {path: (path.lstat().st_ino, path.lstat().st_mtime_ns, path.lstat().st_size)
                for path in sorted(self.folder.rglob("*")) if not path.is_dir()}

    def reconstruct(self, out, scan=None):
        return "reconstruct", scan or self.copy, *self.VOLUME, "--out", out

    def test_a_reconstruction_spares_its_views_fields_and_description(self):
        views = "a projection of the scan"
        self.assert_spared(*self.reconstruct(self.view), parts=[self.view, views])
        for folder, what in (("dark", "dark field"), ("flat", "flat field")):
            field = next((self.copy / folder).glob("*.tif"))
            self.assert_spared(*self.reconstruct(field), parts=[what])
        self.assert_spared(*self.reconstruct(self.copy / "proj/"))
        # Other names of the same file.
        link = self.folder / "link.tif"
        link.symlink_to(self.view)
        self.assert_spared(*self.reconstruct(link), parts=[views])
        hard = self.folder / "hard.tif"
        os.link(self.view, hard)
        self.assert_spared(*self.reconstruct(hard), parts=[views])
        # The record beside a volume.
        described = self.copy / "v.mha.provenance.json"
        shutil.copy(self.copy / "scan.json", described)
        self.assert_spared(*self.reconstruct(self.copy / "v.mha", described),
                           parts=["description"])

    def test_a_reconstruction_spares_stacks_and_their_headers(self):
        document = json.loads((self.copy / "scan.json").read_text())
        columns, rows = 63, 49
        pixels = bytes(2 * columns * rows * 48)
        raw = self.copy / "p.raw"
        raw.write_bytes(pixels)
        header = {"gantryRaw": 1, "columns": columns, "rows": rows, "views": 48, "type": "uint16"}
        (self.copy / "p.raw.json").write_text(json.dumps(header))
        for name in ("p.tif", "p.h5"):
            (self.copy / name).write_bytes(b"of another format")
        for files, out in (("p.raw", "p.mhd"), ("p.raw", "p.raw"), ("p.tif", "p.tif"),
                           ("p.h5", "p.h5")):
            document["projections"]["files"] = files
            (self.copy / "scan.json").write_text(json.dumps(document))
            with self.subTest(files=files, out=out):
                self.assert_spared(*self.reconstruct(self.copy / out),
                                   parts=["a projection of the scan"])
        # The job's folder: what it leaves there, and what it removes.
        job = self.folder / "v.mha.job"
        job.mkdir()
        for name in ("lock", "preview.mha"):
            (job / name).write_bytes(b"views")
        document["projections"]["files"] = "../v.mha.job/preview.mha"
        (self.copy / "scan.json").write_text(json.dumps(document))
        self.assert_spared(*self.reconstruct(self.folder / "v.mha"))

    def test_other_commands_spare_what_they_read(self):
        scan = self.copy / "scan.json"
        volume = self.folder / "a.mha"
        self.succeed(*self.reconstruct(volume))
        shutil.copy(volume, self.folder / "b.mha")
        job = f"{volume}.job"
        picture = self.folder / "view.png"
        os.link(self.view, picture)
        line = ["--profile", "-9,0,0:9,0,0", "--profile-out"]
        for words in (
                ["timeline", job, "--chrome", scan],
                ["timeline", job, "--chrome", self.view],
                ["timeline", job, "--chrome", volume],
                ["timeline", job, "--chrome", f"{job}/events.jsonl"],
                ["compare", volume, self.folder / "b.mha", *line, volume],
                ["compare", volume, self.folder / "b.mha", *line, self.folder / "b.mha"],
                ["geometry", "convert", scan, self.view],
                ["geometry", "convert", scan, scan],
                ["align", scan, "--centre-only", "--out", scan],
                ["doctor", scan, "--picture", self.view],
                ["calibrate", scan, "--ball-diameter-mm", 2, "--balls-out", self.view],
                ["inspect", scan, "--defects", self.view],
                ["inspect", self.copy / "proj", "--write", self.view],
                ["montage", scan, "--over", "cutoff=0.5,1", "--out", picture],
                ["verify", scan, "--report", scan],
                ["verify", "--volume", volume, "--report", volume]):
            with self.subTest(words=words[:2]):
                self.assert_spared(*words)
        # The voxels beside a header.
        for name, data in (("n.nhdr", "n.raw"), ("g.vgi", "g.vol"), ("m.mhd", "m.raw")):
            header = self.folder / name
            self.succeed(*self.reconstruct(header))
            commands = [["compare", header, volume, *line, self.folder / data],
                        ["compare", volume, header, *line, self.folder / data],
                        ["verify", "--volume", header, "--report", self.folder / data]]
            if data.endswith(".raw"):
                commands.append([*self.reconstruct(self.folder / data), "--method", "sirt",
                                 "--iterations", 1, "--start", header])
            for words in commands:
                with self.subTest(words=words[:2], data=data):
                    self.assert_spared(*words, parts=["a part of a volume"])
        self.succeed("pyramid", volume, self.folder / "a.ome.zarr")
        self.assert_spared("pyramid", self.folder / "a.ome.zarr", self.folder / "a.ome.zarr",
                           parts=["a.ome.zarr"])

    def test_devices_and_links_stay_what_they_are(self):
        scan = self.copy / "scan.json"
        self.fail_with(1, ["/dev/full", "Free space"], "geometry", "convert", scan, "/dev/full",
                       "--format", "astra")
        self.succeed("geometry", "convert", scan, "/dev/null", "--format", "astra")
        for device in ("/dev/full", "/dev/null"):
            self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.fail_with(2, ["not a regular file"], "geometry", "convert", scan, pipe, "--format",
                       "astra")
        self.fail_with(2, ["not a regular file"], "inspect", scan, "--defects", pipe)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        (self.folder / "far").mkdir()
        for name, words in (("vectors.txt", ["geometry", "convert", scan]),
                            ("v.mha", self.reconstruct("")[:-1])):
            link = self.folder / name
            link.symlink_to(f"far/{name}")
            for _ in range(2):
                self.succeed(*words, link)
                self.assertTrue(link.is_symlink())
                self.assertGreater((self.folder / "far" / name).stat().st_size, 100)
        link = self.folder / "v.mhd"
        link.symlink_to("far/v.mhd")
        self.fail_with(2, ["it is a link"], *self.reconstruct(link))
        self.assertTrue(link.is_symlink())
        self.assertEqual(list((self.folder / "far").glob("v.mhd*")), [])
        link = self.folder / "map.tif"
        link.symlink_to("far/map.tif")
        self.succeed("inspect", scan, "--defects", link)
        self.assertTrue(link.is_symlink())

    def test_names_that_are_too_long_are_found_before_the_work(self):
        for out in (self.folder / ("n" * 248 + ".mha"), self.folder / ("n" * 300 + ".mha"),
                    self.folder / ("n" * 236 + ".mha")):
            line = self.fail_with(2, ["longer than the disk allows"], *self.reconstruct(out))
            self.assertLess(len(line.encode()), 900)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["scan"])
        deep = "/".join("d" * 200 for _ in range(18))
        line = self.fail_with(2, ["…"], "inspect", self.folder / deep / "x.tif")
        self.assertLess(len(line.encode()), 900)

    def test_a_limit_of_file_sizes_ends_in_a_sentence(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        out = self.folder / "v.mha"
        line = self.fail_with(1, ["ulimit -f"], "reconstruct", self.copy, "--voxels", 64, "--engine",
                              "cpu", "--out", out, preexec_fn=limit)
        self.assertIn("v.mha", line)
        self.assertFalse(out.exists())
        # Also where libraries write.
        self.fail_with(1, ["ulimit -f"], "reconstruct", self.copy, "--voxels", 64, "--engine", "cpu",
                       "--out", self.folder / "v.h5", preexec_fn=limit)
        self.assertFalse((self.folder / "v.h5").exists())

    def test_closed_streams_do_no_harm(self):
        for words in (["inspect", self.copy], ["inspect", self.folder / "none.json"],
                      self.reconstruct(self.folder / "v.mha")):
            usual = run(*words).returncode
            for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"):
                with self.subTest(words=words[0], closed=closed):
                    done = subprocess.run(["sh", "-c", f'"$0" "$@" {closed}', GANTRY,
                                           *map(str, words)], capture_output=True, timeout=100)
                    self.assertEqual(done.returncode, usual, done.stderr)
        done = subprocess.run(["sh", "-c", '"$0" "$@" >/dev/full', GANTRY, "inspect", self.copy],
                              capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Is the disk full?", done.stderr)

    def test_control_characters_never_reach_the_terminal(self):
        nasty = self.folder / "a\033[2Jb\x07\x7f\u009b"
        shutil.copytree(self.copy, nasty)
        document = json.loads((nasty / "scan.json").read_text())
        document["name"] = "x\033]0;title\x07"
        (nasty / "scan.json").write_text(json.dumps(document))
        (nasty / "proj" / sorted(os.listdir(nasty / "proj"))[3]).write_bytes(b"no image")
        for words in (["inspect", nasty], ["inspect", nasty, "--json"],
                      ["inspect", nasty / "none"], self.reconstruct(self.folder / "v.mha", nasty)):
            done = subprocess.run([GANTRY, *map(str, words)], capture_output=True, timeout=100)
            for output in (done.stdout, done.stderr):
                text = output.decode()
                bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
                self.assertEqual(bad, [], text)

    def test_names_that_are_no_utf8_work(self):
        home = os.fsencode(self.folder) + b"/caf\xe9 \xff"
        os.mkdir(home)
        shutil.copytree(os.fsencode(self.copy), home + b"/scan")
        volume = home + b"/v\xe9.mha"
        for words in ([b"inspect", home + b"/scan"],
                      [b"reconstruct", home + b"/scan", b"--voxels", b"16", b"--engine", b"cpu",
                       b"--out", volume],
                      [b"worker", volume + b".job"],
                      [b"timeline", volume + b".job"],
                      [b"compare", volume, b"--phantom", b"shepp-logan"],
                      [b"compare", volume, b"--phantom", b"shepp-logan", b"--json"]):
            done = subprocess.run([os.fsencode(GANTRY), *words], capture_output=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            done.stdout.decode()  # it is UTF-8
        self.assertTrue(os.path.exists(volume))
        done = subprocess.run([os.fsencode(GANTRY), b"inspect", home + b"/none\xe9"],
                              capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"none\\xE9", done.stderr)


if __name__ == "__main__":
    unittest.main()
