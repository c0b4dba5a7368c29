#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/hdf5/hdf5_file.h"

namespace gantry {

/// What the frames of an NXtomo entry are.
enum class FrameKey { projection = 0, flat = 1, dark = 2, unused = 3 };

/// The keys of all frames, from numbers (3 and -1: not to be used), from texts of numbers, or from
/// the names that NeXus gives them. Nothing: the dataset is missing.
/// data: the dataset of the frames, for messages
/// @throws InputError naming the dataset: another number of keys than of frames, or what is no key
/// Tests: tests/core/io/hdf5_marks_test.cpp
[[nodiscard]] std::optional<std::vector<FrameKey>> frameKeys(const Hdf5File& file,
                                                             const std::string& dataset,
                                                             const std::string& data, Index frames);

}  // namespace gantry
