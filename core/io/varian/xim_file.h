#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/io/image_shape.h"

namespace gantry {

/// A .xim image of Varian's machines, or an older .hnd, all but its pixels.
struct XimHeader {
    std::filesystem::path path;
    ImageShape shape;           ///< int32 if compressed
    bool isCompressed = false;  ///< differences of neighbours in 1, 2 or 4 bytes
    Index tableBegin = 0;       ///< of the differences' sizes, 2 bits each
    Index pixelsBegin = 0;      ///< what is stored of pixels
    Index pixelsBytes = 0;      ///< its size, as stored
    Index fileBytes = 0;
    std::map<std::string, double> properties;  ///< single numbers: "KVSourceRtn"
};

/// Reads all but the pixels; every size is compared with the file's before memory is taken, so that
/// the pixels take at most four times the file's size.
/// @throws InputError naming the file and what in it is out of range, or that it has no pixels
/// Tests: tests/core/io/xim_test.cpp
[[nodiscard]] XimHeader readXimHeader(const std::filesystem::path& path);

/// The image's rows from the top one to `endRow`, host byte order.
/// @throws InputError naming the file, where it is cut off or contradicts itself
[[nodiscard]] std::vector<std::byte> readXimRows(const XimHeader& header, Index endRow);

}  // namespace gantry
