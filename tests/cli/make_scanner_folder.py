"""Writes the scan of spheres in the layout of a scanner's maker: MAKER FOLDER, with the program in
GANTRY."""

import os
import pathlib
import subprocess
import sys
import tempfile

from scanner_files import Nikon, SimulatedScan, SkyScan, Xradia

COLUMNS, ROWS, PITCH, SOD, SDD, VIEWS = 73, 65, 4.2, 600, 1200, 72
WORDS = {
    "Nikon": (Nikon, (SOD, VIEWS, 360)),
    "SkyScan": (SkyScan, (SOD, VIEWS, 360, ROWS, PITCH)),
    "Xradia": (Xradia, (SOD, VIEWS, 360, PITCH)),
}


def main():
    maker_class, arguments = WORDS[sys.argv[1]]
    maker = maker_class()
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        words = [str(word) for word in maker.simulation(*arguments)]
        subprocess.run([os.environ["GANTRY"], "simulate", "--phantom", "spheres",
                        "--phantom-scale-mm", "60", "--detector", f"{COLUMNS}x{ROWS}", "--pitch-mm",
                        str(PITCH), "--sdd-mm", str(SDD), *words, "--frames", "1", "--compression",
                        "none", "--threads", "2", "--out", made],
                       check=True, stdout=subprocess.DEVNULL)
        maker.write(SimulatedScan(pathlib.Path(made)), folder)


if __name__ == "__main__":
    main()
