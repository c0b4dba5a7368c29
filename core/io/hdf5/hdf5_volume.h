#pragma once

#include "core/io/volume/volume_format.h"

namespace gantry {

/// HDF5 files: ours are written as hdf5VolumeLayout() says. Of other programs those are read whose
/// voxels are the default plot of NeXus, /exchange/data (Data Exchange) or the file's only dataset
/// of three dimensions at its top, [z][y][x], compressed or not; pitch by the attribute
/// element_size_um (Fiji, ilastik) or else 1 mm, centred on the origin, values as attenuation.
/// Scans (NXtomo, Data Exchange with angles or flat frames) are refused as such.
/// Tests: tests/core/io/hdf5_volume_test.cpp, tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat hdf5Volumes();

}  // namespace gantry
