"""HDF5 files that keep libhdf5 busy for minutes: `gantry inspect` ends soon, and at once when asked."""

import ctypes
import ctypes.util
import os
import shutil
import signal
import time
import unittest

from support import GantryTest, run, start

V110 = 2  # of H5F_libver_t: a format in which names are found by number only one by one
TRUNCATE = 2
DEFAULT = 0


def library():
    """libhdf5, which writes what no other program here can; None: there is none."""
    for name in ("hdf5_serial", "hdf5"):
        found = ctypes.util.find_library(name)
        if found:
            return ctypes.CDLL(found)
    return None


def write_busy(hdf5, path):
    """So many names of one group that looking for a scan among them takes minutes."""
    handle = ctypes.c_int64
    for call in ("H5Pcreate", "H5Fcreate", "H5Gcreate2"):
        getattr(hdf5, call).restype = handle
    hdf5.H5open()
    access = hdf5.H5Pcreate(handle.in_dll(hdf5, "H5P_CLS_FILE_ACCESS_ID_g"))
    hdf5.H5Pset_libver_bounds(handle(access), V110, V110)
    file = handle(hdf5.H5Fcreate(str(path).encode(), TRUNCATE, handle(DEFAULT), handle(access)))
    none = handle(DEFAULT)
    group = handle(hdf5.H5Gcreate2(file, b"g", none, none, none))
    for i in range(20_000):
        hdf5.H5Lcreate_hard(file, b"g", file, str(i).encode(), none, none)
    hdf5.H5Gclose(group)
    hdf5.H5Fclose(file)
    hdf5.H5Pclose(handle(access))


class HostileHdf5(GantryTest):
    def setUp(self):
        super().setUp()
        hdf5 = library()
        if not hdf5:
            self.skipTest("there is no libhdf5 to write with")
        self.busy = self.folder / "scan/busy.h5"
        self.busy.parent.mkdir()
        write_busy(hdf5, self.busy)
        if "without HDF5" in run("inspect", self.busy).stderr:
            self.skipTest("this build reads no HDF5")

    def inspect(self, path):
        """What it said, and the processor seconds that it took, which other work on this machine does not change."""
        begin = os.times()
        done = run("inspect", path)
        end = os.times()
        return done, end.children_user + end.children_system - begin.children_user - begin.children_system

    def test_a_file_is_refused_in_time(self):
        done, seconds = self.inspect(self.busy)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("busy.h5 is damaged, or the disk does not answer", done.stderr)
        self.assertLess(seconds, 15)

    def test_ctrl_c_ends_it_within_a_second(self):
        process = start("inspect", self.busy)
        time.sleep(1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        _, said = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 1)
        self.assertEqual(process.returncode, 130, said)

    def test_a_folder_of_many_takes_no_longer_than_a_few(self):
        for i in range(6):
            shutil.copy(self.busy, self.busy.with_name(f"busy_{i}.h5"))
        done, seconds = self.inspect(self.busy.parent)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertLess(seconds, 15)


if __name__ == "__main__":
    unittest.main()
