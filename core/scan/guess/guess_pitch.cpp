#include "core/scan/guess/guess_pitch.h"

#include <fmt/format.h>

#include <algorithm>

namespace gantry {

namespace {

// Flat panels are about 400 mm wide whatever binning they are read with.
double pitchOf(Index columns) {
    if (columns > 3072) return 0.1;
    if (columns >= 1536) return 0.2;
    return columns >= 768 ? 0.4 : 0.8;
}

// A doubt about pixels that are longer than binning makes them; empty: none.
std::string notSquare(const std::array<double, 2>& pitchMm) {
    constexpr double kMaxRatio = 4;
    const auto [low, high] = std::minmax(pitchMm[0], pitchMm[1]);
    if (high <= kMaxRatio * low) return {};
    return fmt::format(
        "pixels of {:.4g} × {:.4g} mm are far from square: one of the two may be in "
        "another unit",
        pitchMm[0], pitchMm[1]);
}

}  // namespace

PitchGuess guessPitch(const std::optional<StatedGeometry>& stated, Index columns, bool isParallel) {
    constexpr double kParallelPitchMm = 0.01;
    if (stated && stated->pitchMm) {
        PitchGuess guess{*stated->pitchMm, {}, {}};
        if (stated->isPitchCandidate)
            guess.reason = fmt::format(
                "It stands in the file, in {}; programs also store the size of a voxel there",
                stated->where);
        else
            guess.doubts = {stated->pitchDoubt, notSquare(guess.pitchMm)};
        return guess;
    }
    const double pitch = isParallel ? kParallelPitchMm : pitchOf(columns);
    return {{pitch, pitch},
            isParallel
                ? "Typical of a parallel beam; not stored in the images. It scales the volume"
                : fmt::format("Typical of a flat panel about 400 mm wide that is read with "
                              "{} columns; not stored in the images",
                              columns),
            {}};
}

}  // namespace gantry
