#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/io/pixel_type.h"

namespace gantry {

namespace {

// The mean difference of neighbours, as a share of the mean difference from the mean: 1.4 for
// noise, little for a picture.
double roughnessOf(PixelType type, std::span<const std::byte> pixels, Index columns) {
    std::vector<float> values(pixels.size() / static_cast<std::size_t>(sizeBytes(type)));
    toFloat(type, pixels, values);
    // What is no number, or far from any, counts as nothing.
    for (float& value : values)
        if (!(std::abs(value) < 1e20F)) value = 0;
    double mean = 0;
    for (const float value : values)
        mean += static_cast<double>(value) / static_cast<double>(values.size());
    double apart = 0;
    double fromMean = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        fromMean += std::abs(static_cast<double>(values[i]) - mean);
        if (i % static_cast<std::size_t>(columns) != 0)
            apart += std::abs(static_cast<double>(values[i]) - static_cast<double>(values[i - 1]));
    }
    return fromMean > 0 ? apart / fromMean : 0;
}

}  // namespace

std::optional<Problem> checkByteOrder(const OpenScan& scan) {
    constexpr Index kRows = 16;
    constexpr double kRough = 0.7;
    constexpr double kClearly = 0.25;
    const SourceInfo& info = scan.source->info();
    const Index size = sizeBytes(info.pixelType);
    if (size < 2 || info.columns < 16) return std::nullopt;
    const Index count = std::min(kRows, info.rows);
    const Index first = (info.rows - count) / 2;
    HostBuffer<std::byte> pixels(count * info.columns * size);
    scan.source->readRows(info.views / 2, {first, first + count}, pixels.span());
    const double stored = roughnessOf(info.pixelType, pixels.span(), info.columns);
    for (Index at = 0; at < pixels.count(); at += size)
        std::reverse(pixels.data() + at, pixels.data() + at + size);
    const double exchanged = roughnessOf(info.pixelType, pixels.span(), info.columns);
    if (stored < kRough || !(exchanged > 0) || exchanged > kClearly * stored) return std::nullopt;
    return Problem{
        Problem::Severity::warning, "projections.files",
        fmt::format("neighbouring pixels differ as noise does, and {:.0f} times less if the bytes "
                    "of each are exchanged: the byte order is the other one. State it in a header "
                    "beside the raw file, \"byteOrder\": \"big\" or \"little\", or write the "
                    "files anew",
                    stored / exchanged)};
}

}  // namespace gantry
