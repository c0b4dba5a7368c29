#pragma once

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// Whether the file has dark or flat frames as Data Exchange has them.
[[nodiscard]] bool hasExchangeFrames(const Hdf5File& file);

/// What the group /exchange holds and states. It may have flat or dark frames alone. By
/// dxfile.readthedocs.io, lengths are in m and angles in degrees if no unit is given.
/// @throws InputError as readTomography()
[[nodiscard]] Hdf5Tomography readExchange(const Hdf5File& file);

}  // namespace gantry
