"""A job that several processes run together, started by a real mpirun."""

import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import time
import unittest

from rank_jobs import RankTest, same_again
from support import SANITIZED, run


class Ranks(RankTest):
    # Odd, off the centre, not cubes.
    VOLUME = ["--voxels", "45x38x41", "--pitch-mm", 2.3, "--center-mm", "3,-5,4"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one = cls.home / "one.mha"
        done = run("reconstruct", cls.scan, *cls.VOLUME, "--engine", "cpu", "--out", cls.one)
        assert done.returncode == 0, done.stderr

    def reconstruct(self, *words, out="v.mha"):
        return self.document("reconstruct", self.scan, *self.VOLUME, "--engine", "cpu", *words,
                             "--out", self.folder / out)

    def assert_equal_to_one(self, volume):
        figures = self.document("compare", volume, self.one)
        # Slabs are summed in single precision as those of one process are, in another order:
        # about two units in the last place.
        self.assertLess(figures["relativeRmse"], 3e-7)

    def test_any_number_makes_the_same_volume(self):
        # Where many share a machine, each sees another amount of free memory.
        for ranks in (1, 2, 3, 4, 7, 12, 16):
            with self.subTest(ranks=ranks):
                result = self.reconstruct("--ranks", ranks, out=f"v {ranks} 'ü'.mha")
                self.assert_equal_to_one(result["volume"])
                if ranks > 1:
                    self.assertTrue(any(f"Made by {ranks} ranks, a grid of " in note and
                                        "predicted to take" in note
                                        for note in result["notes"]), result["notes"])
                timeline = self.document("timeline", result["job"])
                self.assertEqual(timeline["state"], "done")
                lanes = {lane["lane"].split()[1] for lane in timeline["lanes"]
                         if lane["lane"].startswith("rank")}
                self.assertEqual(len(lanes), ranks if ranks > 1 else 0)
                host = socket.gethostname()
                self.assertTrue(all(f" on {host}: " in lane["lane"] for lane in timeline["lanes"]
                                    if ranks > 1))

    def test_ranks_that_no_grid_has_work_for_wait_and_end_well(self):
        # Six views and five slices: seven ranks can be neither one row nor seven.
        scan = self.simulate("--views", 6, out=self.folder / "few")
        words = [scan, *self.VOLUME, "--voxels", "45x38x5", "--engine", "cpu"]
        alone = self.document("reconstruct", *words, "--out", self.folder / "one.mha")
        for more in ([], ["--exchange", "gather"], ["--io", "split"]):
            with self.subTest(more=more):
                out = self.folder / f"{len(more)}{more[-1:]}.mha"
                result = self.document("reconstruct", *words, "--ranks", 7, *more, "--out", out)
                self.assertTrue(any("Made by 6 ranks of 7, as no grid of all is faster" in note
                                    for note in result["notes"]), result["notes"])
                figures = self.document("compare", out, alone["volume"])
                self.assertLess(figures["relativeRmse"], 3e-7)
                self.assertEqual(result["invalidPixels"], alone["invalidPixels"])
                plan = json.loads((pathlib.Path(result["job"]) / "plan.json").read_text())
                self.assertEqual(plan["grid"]["idleRanks"], 1)
                self.assertEqual([rank["assignments"] == [] for rank in plan["ranks"]],
                                 6 * [False] + [True])
                self.assert_repeats(pathlib.Path(result["job"]), out, 7)
        shown = self.succeed("plan", *words, "--ranks", 7)
        self.assertIn("Made by 6 ranks of 7", shown)

    def test_a_plan_of_several_ranks_tells_what_speaks_against_the_scan(self):
        dim = self.simulate("--phantom-scale-mm", 70, "--flux", "0.5,0.5", out=self.folder / "dim")
        words = ["--voxels", 30, "--engine", "cpu", "--ranks", 2]
        told = "The air beside the object is 0.50 of the flat field"
        warnings = self.document("plan", dim, *words)["warnings"]
        self.assertEqual([warning[:len(told)] for warning in warnings], [told])
        self.assertIn("warning   " + told, self.succeed("plan", dim, *words))
        even = self.simulate("--phantom-scale-mm", 70, out=self.folder / "even")
        self.assertEqual(self.document("plan", even, *words)["warnings"], [])

    def test_rows_of_an_object_that_is_cut_off_go_on_alike(self):
        scan = self.simulate("--pitch-mm", 3, out=self.folder / "cut off")
        words = ["reconstruct", scan, *self.VOLUME, "--engine", "cpu"]
        alone = self.document(*words, "--out", self.folder / "one.mha")
        self.assertTrue(any("each row is continued beyond" in note for note in alone["notes"]))
        off = self.document(*words, "--truncation", "off", "--out", self.folder / "off.mha")
        self.assertGreater(self.document("compare", off["volume"],
                                         alone["volume"])["relativeRmse"], 0.1)
        for io in ("parallel", "split"):
            out = self.folder / f"{io}.mha"
            self.document(*words, "--ranks", 3, "--io", io, "--out", out)
            self.assertLess(self.document("compare", out, alone["volume"])["relativeRmse"], 3e-7)

    def test_formats_are_written_together(self):
        for out, words in (("slices/", []), ("v.tif", []), ("v.raw", ["--type", "uint16"]),
                           ("v.mhd", ["--type", "uint8", "--range", "-0.01,0.04"])):
            with self.subTest(out=out):
                alone = self.reconstruct(*words, out=f"alone-{out}")["volume"]
                ranks = self.reconstruct(*words, "--ranks", 3, out=out)["volume"]
                figures = self.document("compare", ranks, alone)
                # One step of the integers at most, where the range is the volume's own.
                self.assertLess(figures["relativeRmse"], 1e-6 if not words else 1e-3)

    def test_one_rank_writes_any_format_for_all(self):
        for io, out, words in (("single", "slices/", []), ("split", "v.tif", []),
                               ("single", "v.ome.zarr", []),
                               ("split", "v.raw", ["--type", "uint16"])):
            with self.subTest(io=io, out=out):
                alone = self.reconstruct(*words, out=f"alone-{out}")["volume"]
                result = self.reconstruct(*words, "--ranks", 3, "--io", io, out=out)
                writer = 0 if io == "single" else 2
                self.assertTrue(any(f"rank {writer} writes" in note or
                                    f"Rank {writer} reads and writes" in note
                                    for note in result["notes"]), result["notes"])
                figures = self.document("compare", result["volume"], alone)
                self.assertLess(figures["relativeRmse"], 1e-6 if not words else 1e-3)

    def test_images_stored_mirrored_make_the_same_volume(self):
        scan = self.folder / "scan"
        shutil.copytree(self.scan, scan)
        for path in scan.rglob("*.tif"):
            stored = bytearray(path.read_bytes())
            width = 2 * 63  # bytes of a row, which begin behind the file's header
            for begin in range(8, 8 + 49 * width, width):
                row = struct.unpack("<63H", stored[begin:begin + width])
                stored[begin:begin + width] = struct.pack("<63H", *reversed(row))
            path.write_bytes(stored)
        document = json.loads((scan / "scan.json").read_text())
        document["detector"]["mirrored"] = True
        (scan / "scan.json").write_text(json.dumps(document))
        for i, words in enumerate(([], ["--ranks", 3], ["--ranks", 3, "--io", "split"])):
            with self.subTest(words=words):
                result = self.document("reconstruct", scan, *self.VOLUME, "--engine", "cpu",
                                       *words, "--out", self.folder / f"{i}.mha")
                self.assert_equal_to_one(result["volume"])

    def test_a_pyramid_is_written_by_one_rank_for_all_without_being_asked(self):
        alone = self.reconstruct(out="alone.ome.zarr")["volume"]
        result = self.reconstruct("--ranks", 2, out="v.ome.zarr")
        self.assertTrue(any("Rank 0 reads and writes" in note for note in result["notes"]),
                        result["notes"])
        figures = self.document("compare", result["volume"], alone)
        self.assertLess(figures["relativeRmse"], 1e-6)

    def test_processes_of_srun_that_mpi_does_not_connect_are_refused(self):
        made = self.reconstruct(out="v.mha")
        job = same_again(pathlib.Path(made["job"]), pathlib.Path(made["volume"]),
                         self.folder / "again.job")
        for number in "10":
            line = self.fail_with(2, ["srun has started 2 processes", "--mpi=pmix"], "worker", job,
                                  env={**os.environ, "SLURM_STEP_NUM_TASKS": "2",
                                       "SLURM_PROCID": number})
        self.assertEqual(self.state(job)["state"], "failed")
        self.assertIn(self.state(job)["message"], line)

    @unittest.skipUnless(os.geteuid() == 0, "only root is refused")
    def test_root_hears_what_mpirun_asks_of_it(self):
        version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        if "Open MPI" not in version:
            self.skipTest("another MPI asks nothing")
        asked = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"
        env = {name: value for name, value in os.environ.items() if name != asked}
        words = ["reconstruct", self.scan, "--ranks", 2, "--out", self.folder / "v.mha"]
        self.fail_with(2, ["--ranks is 2. mpirun starts no processes for root.",
                           "as another user", f"OMPI_ALLOW_RUN_AS_ROOT=1 and {asked}=1"],
                       *words, env=env)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_numbers_are_refused(self):
        for ranks in (0, -3, 5000):
            self.fail_with(2, ["--ranks"], "reconstruct", self.scan, "--ranks", ranks, "--out",
                           self.folder / "v.mha")
        for rows, allowed in ((-1, "it must be 0 to"), (3, "divide the 4 ranks"),
                              (8, "divide the 4 ranks")):
            self.fail_with(2, ["--grid-rows is", rows, allowed], "reconstruct",
                           self.scan, "--ranks", 4, "--grid-rows", rows, "--out",
                           self.folder / "v.mha")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.fail_with(1, ["Rank ", "too small a part of the memory", "the job may use 75.0 MB"],
                       "reconstruct", self.scan, *self.VOLUME, "--engine", "cpu", "--ranks", 2,
                       "--memory", "150M", "--out", self.folder / "v.mha")
        self.fail_with(2, ["8 ranks", "5 slices"], "reconstruct", self.scan, "--voxels", "9x9x5",
                       "--ranks", 8, "--grid-rows", 8, "--exchange", "gather", "--engine", "cpu",
                       "--out", self.folder / "v.mha")

    # Each grid of these ranks once; exchange, scan, volume and who reads and writes by pairs.
    GRIDS = (("2x1", "gather", "circle", "whole", "parallel"),
             ("1x2", "rows", "short", "whole", "single"),
             ("3x1", "gather", "short", "off", "split"),
             ("1x3", "rows", "offset", "slabs", "parallel"),
             ("4x1", "gather", "offset", "slabs", "single"),
             ("2x2", "gather", "short", "slabs", "parallel"),
             ("2x2", "rows", "circle", "off", "single"),
             ("1x4", "gather", "circle", "slabs", "split"),
             ("6x1", "rows", "short", "slabs", "single"),
             ("3x2", "gather", "offset", "off", "parallel"),
             ("2x3", "rows", "offset", "whole", "split"),
             ("1x6", "rows", "circle", "off", "parallel"),
             ("8x1", "gather", "circle", "off", "single"),
             ("4x2", "rows", "short", "off", "parallel"),
             ("2x4", "gather", "offset", "whole", "parallel"),
             ("1x8", "rows", "offset", "slabs", "split"),
             ("1x2", "gather", "beam", "whole", "parallel"))
    if SANITIZED:
        GRIDS = GRIDS[::3]  # each takes several times as long
    # An offset detector's views have odd numbers of columns, and are weighted by redundancy.
    SCANS = {"circle": [], "short": ["--arc-deg", 230, "--views", 37],
             "offset": ["--detector", "45x49", "--offset-mm", "30,-2"],
             "beam": ["--beam", "parallel", "--views", 41]}
    VOLUMES = {"whole": [], "off": ["--center-mm", "-4,6,25", "--voxels", "31x45x23",
                                    "--batch", 5],
               "slabs": ["--voxels", "45x38x101", "--batch", 7]}
    BYTES_FOR_SLABS = 88_000_000  # of a rank with one thread: too little for half of that at once

    def test_every_grid_makes_the_volume_of_one_process(self):
        scans = {name: self.scan if not words else
                 self.simulate(*words, out=self.home / name).parent
                 for name, words in self.SCANS.items()}
        alone = {}
        for grid, exchange, scan, volume, io in self.GRIDS:
            with self.subTest(grid=grid, exchange=exchange, scan=scan, volume=volume, io=io):
                rows, columns = map(int, grid.split("x"))
                words = [scans[scan], *self.VOLUME, *self.VOLUMES[volume], "--engine", "cpu"]
                if (scan, volume) not in alone:
                    alone[scan, volume] = self.document(
                        "reconstruct", *words, "--out", self.home / f"{scan}-{volume}.mha")
                one = alone[scan, volume]
                if volume == "slabs":
                    ranks = rows * columns
                    # Who reads or writes by another needs room for what is on its way.
                    each = self.BYTES_FOR_SLABS + (0 if io == "parallel" else 2_400_000)
                    words += ["--threads", ranks, "--memory", ranks * each]
                result = self.document("reconstruct", *words, "--ranks", rows * columns,
                                       "--grid-rows", rows, "--exchange", exchange,
                                       "--io", io, "--out", self.folder / f"{grid}.mha")
                figures = self.document("compare", result["volume"], one["volume"])
                # Columns are summed in single precision, as batches are.
                self.assertLess(figures["relativeRmse"], 1e-6)
                self.assertEqual(result["invalidPixels"], one["invalidPixels"])
                self.assert_assigned(pathlib.Path(result["job"]), rows, columns)
                if volume == "slabs" and rows < 4:
                    self.assertGreater(result["slabs"], rows)
                stages = {stage["stage"] for stage in self.document(
                    "timeline", result["job"])["stages"] if stage["spans"] > 0}
                self.assertEqual("reduce" in stages, columns > 1)
                self.assertEqual("gather" in stages, exchange == "gather" and rows > 1)
                forecast = json.loads((pathlib.Path(result["job"]) / "forecast.json").read_text())
                for stage in ("gather", "reduce"):
                    self.assertEqual(forecast["seconds"][stage] > 0, stage in stages)

    def assert_assigned(self, job, rows, columns):
        """Each rank has its slabs and views, and together they have all."""
        plan = json.loads((job / "plan.json").read_text())
        self.assertEqual((plan["grid"]["rows"], plan["grid"]["columns"]), (rows, columns))
        self.assertEqual(len(plan["ranks"]), rows * columns)
        slices = [slab["slices"] for slab in plan["grid"]["slabs"]]
        views = plan["grid"]["views"][-1][1]
        made = 0
        for rank, part in enumerate(plan["ranks"]):
            self.assertLessEqual(part["memoryBytes"], part["memoryAllowedBytes"])
            for work in part["assignments"]:
                self.assertEqual(work["rank"], rank)
                begin, end = slices[work["slab"]]
                made += (end - begin) * (work["views"][1] - work["views"][0])
        self.assertEqual(made, slices[-1][1] * views)

    def test_a_stored_plan_makes_the_same_volume_bit_by_bit(self):
        for grid in (["--grid-rows", 2, "--exchange", "gather"],
                     ["--grid-rows", 1, "--exchange", "rows"], ["--grid-rows", 4]):
            with self.subTest(grid=grid):
                first = self.reconstruct("--ranks", 4, *grid, out="first.mha")
                self.assert_repeats(pathlib.Path(first["job"]), pathlib.Path(first["volume"]), 4)

    def test_what_ends_one_rank_ends_all_with_its_name(self):
        scan = self.folder / "scan"
        shutil.copytree(self.scan, scan)
        views = sorted((scan / "proj").glob("*"))
        views[20].write_bytes(views[20].read_bytes()[:1000])
        for words in ([], ["--io", "split"], ["--grid-rows", 3, "--exchange", "gather"]):
            with self.subTest(words=words):
                begin = time.monotonic()
                self.fail_with(2, [views[20].name], "reconstruct", scan, *self.VOLUME, "--ranks",
                               3, *words, "--engine", "cpu", "--out", self.folder / "v.mha")
                self.assertLess(time.monotonic() - begin, 20)
                self.assertEqual({path.name for path in self.folder.iterdir()},
                                 {"scan", "v.mha.job"})
                events = (self.folder / "v.mha.job/events.jsonl").read_text()
                self.assertIn('"state":"failed"', events)


if __name__ == "__main__":
    unittest.main()
