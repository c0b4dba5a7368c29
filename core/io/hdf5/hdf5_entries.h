#pragma once

#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_tomography.h"

namespace gantry {

/// The scans that a file holds, by their paths, the one first that is taken where none is asked
/// for: NXtomo entries; in a file without any, groups of Data Exchange; without these, datasets of
/// three dimensions, of which none is taken unasked.
/// Tests: tests/core/io/hdf5_entries_test.cpp
[[nodiscard]] std::vector<std::string> tomographyEntries(const Hdf5File& file);

/// Every dataset of three dimensions; none in a file that has too many groups to look into.
[[nodiscard]] std::vector<std::string> imageStacks(const Hdf5File& file);

/// Reads the NXtomo entry, group of Data Exchange or dataset of that path.
/// entry: with or without its first slash
/// @throws InputError as readTomography(), and listing those that are there if it is none of them
[[nodiscard]] Hdf5Tomography readEntry(const Hdf5File& file, const std::string& entry);

/// A dataset of images in a file of no known layout, as projections.
[[nodiscard]] Hdf5Tomography framesOf(const std::string& dataset);

/// The first few, for messages.
[[nodiscard]] std::string listedEntries(const std::vector<std::string>& entries);

/// Those of which one must be chosen; none where there is one alone, or the file says which is
/// meant.
[[nodiscard]] std::vector<std::string> entriesToChooseFrom(const Hdf5File& file);

/// Adds which these are.
void quoteOtherEntries(const Hdf5File& file, StatedGeometry& stated);

}  // namespace gantry
