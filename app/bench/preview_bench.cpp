#include "app/bench/preview_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/cpu/cpu_plane_preview.h"
#include "core/geometry/views/projection_matrix.h"

namespace gantry {

namespace {

constexpr int kWarmUps = 3;
constexpr int kMinRenderings = 5;
constexpr auto kQuick = PlanePreview::Precision::quick;
constexpr int kMaxRenderings = 200;
// Size of the planes on which the error is measured: the CPU takes long for them.
constexpr Index kErrorPixels = 96;

// Random pixels in [0, 1) that depend only on their index, so that all threads can make them.
HostBuffer<float> randomPixels(Index count, const std::stop_token& stop) {
    HostBuffer<float> pixels(count);
    const auto fill = [&](Index first, Index end, int) {
        for (Index i = first; i < end; ++i) {
            auto bits = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
            bits = (bits ^ (bits >> 32)) * 0xD6E8FEB86659FD93U;
            pixels[i] = static_cast<float>(bits >> 40) * 0x1p-24F;
        }
    };
    parallelFor(availableThreads(), count, Index{1} << 20, fill, stop);
    return pixels;
}

// ‖found − wanted‖/‖wanted‖ over all pictures.
double relativeRmse(const std::vector<Span3<const float>>& found,
                    const std::vector<Span3<const float>>& wanted) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        for (Index p = 0; p < wanted[i].count(); ++p) {
            const auto truth = static_cast<double>(wanted[i].data()[p]);
            difference += std::pow(static_cast<double>(found[i].data()[p]) - truth, 2);
            size += truth * truth;
        }
    return std::sqrt(difference / size);
}

}  // namespace

std::string PreviewProblem::title() const {
    return fmt::format("{}² × {} → 3 planes of {}²", nU, nP, pixels);
}

double PreviewProblem::updates() const {
    return 3 * static_cast<double>(pixels) * static_cast<double>(pixels) * static_cast<double>(nP);
}

double PreviewFigures::gups() const {
    return problem.updates() / medianSeconds / (1 << 30);
}

PreviewFigures benchPreview(PlanePreview& projector, const PreviewProblem& problem,
                            const BenchContext& context) {
    const BenchProblem scan = {problem.nU, problem.nP, problem.pixels};
    ScanGeometry geometry = scan.geometry();
    const VolumeGrid grid = scan.grid();
    const Vec3 through = {0.11 * grid.pitchMm[0], 10.7 * grid.pitchMm[1], -20.3 * grid.pitchMm[2]};
    const HostBuffer<float> pixels =
        randomPixels(problem.nP * problem.nU * problem.nU, context.stop);
    const Span3<const float> views = {pixels.data(), problem.nP, problem.nU, problem.nU};

    PreviewFigures figures;
    figures.problem = problem;
    std::int64_t begin = nowNs();
    projector.setViews(views, context.stop);
    figures.uploadSeconds = secondsSince(begin);

    const auto planes = orthogonalPlanes(grid, through, problem.pixels);
    std::vector<double> seconds;
    double measured = 0;
    for (int i = 0; i < kMaxRenderings; ++i) {
        if (i >= kWarmUps + kMinRenderings && measured > context.secondsEach) break;
        begin = nowNs();
        geometry.detector.offsetMm[0] = 0.1 * i * geometry.detector.pitchMm[0];
        projector.setGeometry(projectionMatrices(geometry));
        (void)projector.render(planes, kQuick, context.stop);
        measured += secondsSince(begin);
        if (i >= kWarmUps) seconds.push_back(secondsSince(begin));
        if (context.onProgress) context.onProgress(std::min(1.0, measured / context.secondsEach));
    }
    std::sort(seconds.begin(), seconds.end());
    figures.renderings = static_cast<int>(seconds.size());
    figures.medianSeconds = seconds[seconds.size() / 2];
    figures.slowestSeconds = seconds.back();

    const auto coarse = orthogonalPlanes(grid, through, std::min(problem.pixels, kErrorPixels));
    const auto exact = makeReferencePlanePreview(availableThreads());
    exact->setViews(views, context.stop);
    exact->setGeometry(projectionMatrices(geometry));
    figures.error =
        relativeRmse(projector.render(coarse, kQuick, context.stop),
                     exact->render(coarse, PlanePreview::Precision::exact, context.stop));
    return figures;
}

}  // namespace gantry
