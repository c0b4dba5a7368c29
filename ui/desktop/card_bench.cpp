#include "ui/desktop/card_bench.h"

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "ui/scene/volume/gpu_ray_caster.h"
#include "ui/scene/volume/volume_overlay.h"

namespace gantry {

namespace {

constexpr QSize kPicture(1600, 1000);

// Foam: balls of matter in a ball, so that rays are neither stopped at once nor run through air.
std::shared_ptr<const ReducedVolume> foam(Index voxels, const std::stop_token& stop) {
    auto volume = std::make_shared<ReducedVolume>();
    volume->grid = {{voxels, voxels, voxels}, {0.1, 0.1, 0.1}, {0, 0, 0}};
    volume->high = 0.05;
    volume->voxels.resize(static_cast<std::size_t>(volume->grid.count()));
    const double scale = 2 / static_cast<double>(voxels);
    parallelFor(
        availableThreads(), voxels, 1,
        [&](Index begin, Index end, int) {
            constexpr double kBubbles = 25;
            auto* out = volume->voxels.data() + begin * voxels * voxels;
            for (Index z = begin; z < end; ++z)
                for (Index y = 0; y < voxels; ++y)
                    for (Index x = 0; x < voxels; ++x) {
                        const double a = static_cast<double>(x) * scale - 1;
                        const double b = static_cast<double>(y) * scale - 1;
                        const double c = static_cast<double>(z) * scale - 1;
                        const double wave = std::sin(kBubbles * a) * std::sin(kBubbles * b) *
                                            std::sin(kBubbles * c);
                        const bool isMatter = a * a + b * b + c * c < 0.9 && wave > 0.1;
                        *out++ = static_cast<std::uint16_t>(isMatter ? 45000 + 15000 * wave : 2000);
                    }
        },
        stop);
    return volume;
}

double framesPerSecond(GpuRayCaster& caster, RayCastRequest request, const std::stop_token& stop) {
    constexpr int kFirst = 4;  // the shaders are compiled, the volume uploaded
    constexpr int kFrames = 72;
    constexpr qint64 kLongestMs = 10'000;
    QElapsedTimer passed;
    int frames = 0;
    for (int i = 0; i < kFirst + kFrames; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        if (i == kFirst) passed.start();
        request.camera.azimuthDeg += 360.0 / kFrames;
        if (caster.cast(request).isNull())
            throw ResourceError("The graphics card failed: " + caster.problem().toStdString());
        frames += i < kFirst ? 0 : 1;
        if (frames > 0 && passed.elapsed() > kLongestMs) break;
    }
    return 1e9 * frames / static_cast<double>(std::max<qint64>(1, passed.nsecsElapsed()));
}

}  // namespace

std::optional<CardFrames> benchCard(Index voxels, const std::stop_token& stop) {
    GpuRayCaster caster;
    if (!caster.problem().isEmpty() || caster.isSoftware()) return std::nullopt;
    const auto volume = foam(voxels, stop);
    caster.setVolume(volume);
    RayCastRequest request;
    request.camera = wholeVolume(volume->grid);
    request.size = kPicture;
    request.window = {0.02, 0.05};
    request.transfer = windowTransfer(request.window);
    CardFrames frames{caster.graphicsName().toStdString(), voxels, kPicture};
    frames.shaded = framesPerSecond(caster, request, stop);
    request.stepVoxels = kCoarsestCardStep;
    frames.shadedMoving = framesPerSecond(caster, request, stop);
    request.isMaximum = true;
    request.stepVoxels = 0.5;
    frames.maximum = framesPerSecond(caster, request, stop);
    return frames;
}

}  // namespace gantry
