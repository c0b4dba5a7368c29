#include "core/simulate/synthetic_detector.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace gantry {

namespace {

// The relative intensity of the open beam at (x, y), both from −1 to 1: it decreases to the sides
// with the distance from the source, and towards the anode (below), whose own surface absorbs more.
double beamProfile(double x, double y) {
    const double distance = 1 - 0.08 * (x * x + y * y);
    const double heel = 1 - 0.10 * (1 - y) * (1 - y) / 4;
    return distance * heel;
}

}  // namespace

SyntheticDetector makeSyntheticDetector(Index rows, Index columns, double darkCounts,
                                        double flatCounts, Index deadPixels, std::uint64_t seed) {
    SyntheticDetector detector{rows, columns, {}, {}, {}};
    const auto pixels = static_cast<std::size_t>(rows * columns);
    detector.dark.resize(pixels);
    detector.flat.resize(pixels);
    detector.bad.resize(pixels);
    std::mt19937_64 random(seed);
    // Uses the generator directly: the library's distributions differ between machines.
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    const auto position = [](Index i, Index n) {
        return (2.0 * static_cast<double>(i) + 1) / static_cast<double>(n) - 1;
    };
    for (Index v = 0; v < rows; ++v) {
        for (Index u = 0; u < columns; ++u) {
            const auto i = static_cast<std::size_t>(v * columns + u);
            const double gain = 1 - 0.02 * uniform();
            const double profile = beamProfile(position(u, columns), position(v, rows));
            detector.dark[i] =
                static_cast<float>(std::round(darkCounts * (0.95 + 0.10 * uniform())));
            detector.flat[i] =
                static_cast<float>(std::max(std::round(flatCounts * profile * gain),
                                            static_cast<double>(detector.dark[i]) + 1));
        }
    }
    for (Index dead = 0; dead < std::min(deadPixels, rows * columns);) {
        const auto i = static_cast<std::size_t>(random() % pixels);
        if (detector.bad[i]) continue;
        detector.bad[i] = 1;
        detector.dark[i] = detector.flat[i] = 0;
        ++dead;
    }
    return detector;
}

}  // namespace gantry
