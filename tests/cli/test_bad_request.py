"""Requests that cannot be met: one line, the right exit code, nothing half-written."""

import resource
import shutil
import signal
import unittest

from support import GantryTest, run


def small_files_only():
    """Writing beyond a megabyte fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))


class BadRequest(GantryTest):
    def reconstruct(self, code, parts, *words, **more):
        self.fail_with(code, parts, "reconstruct", self.scan, *words, cwd=self.folder, **more)
        left = [p.name for p in self.folder.iterdir() if not p.name.endswith(".job")]
        self.assertEqual(left, [])

    def test_words_that_make_no_sense(self):
        for words, part in (([], "simulate"), (["paint"], "paint"), (["reconstruct"], "scan"),
                            (["bench"], "cpu"), (["geometry", "draw"], "draw"),
                            (["reconstruct", "--voxels"], "--voxels"),
                            (["timeline", self.folder], "events.jsonl"),
                            (["timeline", self.folder / "absent"], "absent"),
                            (["worker", self.folder], "job.json"),
                            (["compare", "absent.mha"], "--phantom"),
                            (["compare", "absent.mha", "--phantom", "shepp-logan"], "absent.mha"),
                            (["compare", "a.mha", "b.mha", "--phantom", "spheres"], "--phantom")):
            with self.subTest(words=words):
                self.fail_with(2, [part], *words)

    def test_options_out_of_range(self):
        for words, part in ((["--voxels", "0"], "--voxels"), (["--voxels", "12x12"], "--voxels"),
                            (["--voxels", "1e3"], "--voxels"), (["--pitch-mm", "0"], "--pitch-mm"),
                            (["--cutoff", "0"], "cut"), (["--cutoff", "1.5"], "cut"),
                            (["--rings", "best"], "--rings"),
                            (["--rings", "sorting", "--ring-width", "20"], "prep.ringWidthPx"),
                            (["--truncation", "maybe"], "--truncation"),
                            (["--truncation", "cylinder", "--object-attenuation", "-1"],
                             "prep.truncationPerMm: is -1 /mm; it must be between"),
                            (["--zingers", "1"], "prep.zingerRatio"),
                            (["--flux", "water"], "--flux"),
                            (["--air", "0,0,9,9"], "--flux air"),
                            (["--flux", "air", "--air", "0,0,9"], "4: first column"),
                            (["--flux", "air", "--air", "9,0,2,20"], "prep.airRegion: is 9, 0, 2"),
                            (["--flux", "air", "--air=-1,0,2,20"], "--air"),
                            (["--flux", "air", "--air", "0,0,64,20"], "63 columns and 49 rows"),
                            (["--phase", "20,50"], "--phase"),
                            (["--window", "square"], "--window"), (["--type", "int7"], "--type"),
                            (["--range", "3,1"], "--range"), (["--threads", "-1"], "--threads"),
                            (["--batch", "0"], "--batch"), (["--memory", "lots"], "--memory"),
                            (["--engine", "gpu"], "GPU"), (["--engine", "abacus"], "--engine"),
                            (["--center-mm", "0,0"], "--center-mm"),
                            (["--center-mm", "0,-580,0"], "volume"),
                            (["--out", "v.jpeg"], "v.jpeg")):
            with self.subTest(words=words):
                self.reconstruct(2, [part], *words)

    def test_engines_and_kernels_that_do_not_go_together(self):
        for words, part in ((["--kernel", "tile", "--engine", "cpu"], "tile runs on GPUs"),
                            (["--kernel", "reference", "--engine", "gpu"], "reference runs on the"),
                            (["--kernel", "columns", "--devices", "0"], "GPU"),
                            (["--kernel", "mirror-texture"], "--precision fast"),
                            (["--kernel", "cuda"], "--kernel"), (["--precision", "half"], "half"),
                            (["--engine", "cpu", "--filter-on", "gpu"],
                             "Filtering on the GPU needs a GPU"),
                            (["--devices", "1000"], "GPU"), (["--devices", "one"], "--devices"),
                            (["--devices", "0,-1"], "--devices"),
                            (["--devices", "0,"], "'0,'; it must be whole numbers with commas"),
                            (["--device-memory", "lots"], "--device-memory")):
            with self.subTest(words=words):
                self.reconstruct(2, [part], *words)

    def test_a_volume_larger_than_memory(self):
        self.reconstruct(1, ["memory"], "--voxels", "3000x3000x2", "--memory", "60M")

    def test_a_volume_larger_than_the_disk(self):
        across = 1000
        free = shutil.disk_usage(self.folder).free
        while across * across * 30000 * 4 < 1.1 * free:
            across += 100
        self.reconstruct(1, ["volume.mha"], "--voxels", f"{across}x{across}x30000")

    def test_places_that_cannot_be_written(self):
        (self.folder / "file.job").write_text("mine")
        for out in ("absent/v.mha", "/proc/v.mha", "file.job/v.mha"):
            with self.subTest(out=out):
                self.reconstruct(2, [out.split("/")[-2] or "proc"], "--voxels", 24, "--out", out)
        self.assertEqual((self.folder / "file.job").read_text(), "mine")

    def test_writing_that_fails_midway(self):
        done = run("reconstruct", self.scan, "--voxels", 80, "--out", "v.mha", cwd=self.folder,
                   preexec_fn=small_files_only)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn("v.mha", done.stderr.splitlines()[-1])
        self.assertEqual([p.name for p in self.folder.iterdir()], ["v.mha.job"])

    def test_a_job_that_is_being_worked_on_or_is_none(self):
        (self.folder / "notes.job").mkdir()
        (self.folder / "notes.job/thesis.txt").write_text("mine")
        self.reconstruct(2, ["notes.job"], "--voxels", 24, "--job", "notes.job")
        self.assertEqual((self.folder / "notes.job/thesis.txt").read_text(), "mine")

    def test_volumes_that_do_not_fit_together(self):
        for size in ("20", "22"):
            self.succeed("reconstruct", self.scan, "--voxels", f"{size}x20x20", "--out",
                         size + ".mha", cwd=self.folder)
        self.fail_with(2, ["20", "22"], "compare", "20.mha", "22.mha", cwd=self.folder)
        volume = self.folder / "20.mha"
        volume.write_bytes(volume.read_bytes()[:5000])
        self.fail_with(2, ["20.mha"], "compare", "20.mha", "22.mha", cwd=self.folder)
        self.fail_with(2, ["--profile"], "compare", "22.mha", "22.mha", "--profile", "1,2:3",
                       cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
