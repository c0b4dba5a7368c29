#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// The path of the file's NXtomo entry: its default one, or the first of several; nothing if there
/// is none.
[[nodiscard]] std::optional<std::string> nxTomoEntry(const Hdf5File& file);

/// Whether a group is such an entry.
[[nodiscard]] bool isNxTomo(const Hdf5File& file, const std::string& entry);

/// The paths of all NXtomo entries, nxTomoEntry() the first, without others that lead to its
/// frames.
[[nodiscard]] std::vector<std::string> nxTomoEntries(const Hdf5File& file);

/// What an NXtomo entry holds and states. It may have flat or dark frames alone; an entry without
/// keys and angles has frames of whatever kind is asked for.
/// @throws InputError as readTomography()
[[nodiscard]] Hdf5Tomography readNxTomo(const Hdf5File& file, const std::string& entry);

}  // namespace gantry
