#include "core/scan/inspect/raw_views.h"

#include <cmath>

#include "core/base/error.h"

namespace gantry {

LargestCount largestCountOf(std::span<const float> pixels, const HostBuffer<unsigned char>& dead) {
    LargestCount top;
    const auto isUsed = [&](Index i) {
        return std::isfinite(pixels[i]) && (dead.count() == 0 || dead[i] == 0);
    };
    bool isFirst = true;
    float largest = 0;
    for (Index i = 0; i < std::ssize(pixels); ++i) {
        if (!isUsed(i)) continue;
        largest = isFirst ? pixels[i] : std::max(largest, pixels[i]);
        isFirst = false;
    }
    for (Index i = 0; i < std::ssize(pixels); ++i) {
        if (!isUsed(i)) continue;
        ++top.pixels;
        if (pixels[i] == largest) ++top.at;
        if (pixels[i] < largest && pixels[i] >= largest - 1) ++top.justBelow;
    }
    top.level = static_cast<double>(largest);
    return top;
}

RawViews lookAtRaw(const OpenScan& scan, const std::stop_token& stop) {
    constexpr Index kViews = 8;
    const SourceInfo& info = scan.source->info();
    const HostBuffer<unsigned char>& dead = scan.calibration->bad;
    const HostBuffer<float>& flat = scan.calibration->flat;
    const Index count = std::min(kViews, info.views);
    HostBuffer<float> pixels(info.rows * info.columns);
    RawViews views;
    views.isAlwaysAtTop.assign(static_cast<std::size_t>(pixels.count()),
                               flat.count() == pixels.count() ? 1 : 0);
    views.isStill.assign(static_cast<std::size_t>(pixels.count()), 1);
    for (Index i = 0; i < count; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        readView(*scan.source, i * (info.views - 1) / std::max<Index>(1, count - 1), pixels.span());
        views.tops.push_back(largestCountOf(pixels.span(), dead));
        if (i == 0) views.first.assign(pixels.data(), pixels.data() + pixels.count());
        const auto level = static_cast<float>(views.tops.back().level);
        for (Index p = 0; p < pixels.count(); ++p) {
            const bool isDead = dead.count() > 0 && dead[p] != 0;
            if (pixels[p] != views.first[p] || isDead) views.isStill[p] = 0;
            if (views.isAlwaysAtTop[p] != 0 && (pixels[p] != level || flat[p] >= level || isDead))
                views.isAlwaysAtTop[p] = 0;
        }
    }
    return views;
}

}  // namespace gantry
