#pragma once

#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// Whether the file has dark or flat frames as Data Exchange has them.
[[nodiscard]] bool hasExchangeFrames(const Hdf5File& file);

inline constexpr const char* kExchangeGroup = "/exchange";

/// Whether a group has projections as Data Exchange has them: images in a dataset "data".
[[nodiscard]] bool isExchangeGroup(const Hdf5File& file, const std::string& group);

/// The groups of the file that are such and are called so, /exchange the first: there is one for
/// each scan.
[[nodiscard]] std::vector<std::string> exchangeGroups(const Hdf5File& file);

/// What the group holds and states. It may have flat or dark frames alone. By
/// dxfile.readthedocs.io, lengths are in m and angles in degrees if no unit is given.
/// @throws InputError as readTomography()
[[nodiscard]] Hdf5Tomography readExchange(const Hdf5File& file,
                                          const std::string& group = kExchangeGroup);

}  // namespace gantry
