#include "core/phantom/photon_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/phantom/random_stream.h"

namespace gantry {
namespace {

void check(const CountModel& model) {
    if (!std::isfinite(model.photonsPerCount) || model.photonsPerCount <= 0)
        throw InputError(
            fmt::format("The photons per count are {}; they must be greater than 0 and finite.",
                        model.photonsPerCount));
    if (!std::isfinite(model.readoutNoise) || model.readoutNoise < 0)
        throw InputError(
            fmt::format("The readout noise is {} counts; it must be 0 or more and finite.",
                        model.readoutNoise));
}

}  // namespace

Index toCounts(const CountModel& model, Index view, Index firstRow, Index columns,
               std::span<const float> lineIntegrals, std::span<const float> dark,
               std::span<const float> flat, std::span<std::uint16_t> counts) {
    check(model);
    const std::size_t pixels = counts.size();
    require(columns > 0 && lineIntegrals.size() == pixels && dark.size() == pixels &&
                flat.size() == pixels && pixels % static_cast<std::size_t>(columns) == 0,
            "the arrays for simulated counts differ in size");
    constexpr double kMax = 65535;
    Index clipped = 0;
    const auto width = static_cast<std::size_t>(columns);
    for (std::size_t start = 0; start < pixels; start += width) {
        RandomStream random(model.seed, view, firstRow + static_cast<Index>(start / width));
        for (std::size_t i = start; i < start + width; ++i) {
            const double open = static_cast<double>(flat[i]) - static_cast<double>(dark[i]);
            double signal = open * std::exp(-static_cast<double>(lineIntegrals[i]));
            if (model.photonNoise)
                signal = random.poisson(signal * model.photonsPerCount) / model.photonsPerCount;
            if (model.readoutNoise > 0) signal += model.readoutNoise * random.normal();
            const double value = std::floor(static_cast<double>(dark[i]) + signal + 0.5);
            if (value > kMax) ++clipped;
            // The comparison is false for NaN, which becomes 0.
            counts[i] = static_cast<std::uint16_t>(value > 0 ? std::min(value, kMax) : 0);
        }
    }
    return clipped;
}

}  // namespace gantry
