#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// What the first image of a TIFF file carries beside its pixels, as stored.
struct TiffTags {
    std::string description;  ///< empty: none; so for all texts
    std::string software;
    std::string maker;
    std::string model;
    std::array<double, 2> resolution = {0, 0};  ///< pixels a unit, along x and y; 0: not stored
    double unitMm = 0;                          ///< of the resolution; 0: none is stored
    bool isWhiteZero = false;                   ///< the smallest value is white
};

/// How many images of `rows` × `columns` pixels the description says the file has, of which only
/// the first has a directory: of ImageJ ("images=90"), which writes stacks above 4 GB so, and of
/// tifffile ("truncated"). 1: it says nothing of that kind.
/// Tests: tests/core/io/tiff_statements_test.cpp
[[nodiscard]] Index statedStackImages(const std::string& description, Index rows, Index columns);

/// A size of pixels, and where it stands.
struct StatedPitch {
    std::array<double, 2> mm = {0, 0};  ///< along x and y
    std::string where;                  ///< "the description that ImageJ wrote"
};

/// The size of a pixel that OME's or ImageJ's description or the resolution tags state. None if
/// there is no unit, and for resolutions of screens and printers (72 or 300 per inch), which
/// programs write when they know nothing.
[[nodiscard]] std::optional<StatedPitch> statedPitch(const TiffTags& tags);

/// What a user should know of the tags, each one sentence: who wrote the file, the resolution,
/// channels and time steps.
[[nodiscard]] std::vector<std::string> tiffNotes(const TiffTags& tags);

}  // namespace gantry
