#pragma once

#include <string>

#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"

namespace gantry {

/// Values of a few of the images, from dark to bright.
struct FrameSample {
    double median = 0;
    double bright = 0;  ///< 99 of 100 pixels are darker
    double smallest = 0;
    double low = 0;            ///< 99 of 100 pixels are brighter
    double negativeShare = 0;  ///< of the pixels
    double edge = 0;  ///< median of the first and last columns, where the object rarely reaches
};
/// @throws InputError when none of them can be read or has a finite value
[[nodiscard]] FrameSample sampleFrames(const ProjectionSource& source);

/// What projections of unknown origin are taken for.
struct KindGuess {
    ProjectionKind kind = ProjectionKind::counts;
    std::string reason;  ///< a sentence without its full stop
    std::string doubt;   ///< a clause; empty: none
};
/// hasDark: dark frames are there, so that counts may have an offset below 0.
/// Tests: tests/core/scan/frame_sample_test.cpp
[[nodiscard]] KindGuess guessKind(PixelType type, const FrameSample& sample, bool hasDark);

}  // namespace gantry
