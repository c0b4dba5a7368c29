#include "core/scan/inspect/stated_place.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/problem_list.h"
#include "core/scan/geometry_file.h"

namespace gantry {

namespace {

std::optional<StatedGeometry> statedOrNothing(const ScanFile& scan) {
    try {
        return statedByProjections(scan);
    } catch (const InputError&) {
        return std::nullopt;  // faults of the images are reported where they are read
    }
}

void compareRowOrder(const ScanFile& scan, const StatedGeometry& images, ProblemList& problems) {
    const bool isTop = scan.projections.firstRowIsTop;
    if (!images.firstRowIsTop || *images.firstRowIsTop == isTop) return;
    problems.warningOf(
        "detector.firstRow",
        fmt::format("is {}; the projections' file has the {} row first, in {}. The wrong one makes "
                    "the volume a mirror image",
                    isTop ? "top" : "bottom", isTop ? "bottom" : "top", images.where));
}

void comparePitch(const Detector& detector, const StatedGeometry& images, ProblemList& problems) {
    constexpr double kSame = 1e-3;  // of the pitch: files have few digits
    if (!images.pitchMm) return;
    const auto [u, v] = *images.pitchMm;
    if (std::abs(u / detector.pitchMm[0] - 1) < kSame &&
        std::abs(v / detector.pitchMm[1] - 1) < kSame)
        return;
    problems.warningOf("detector.pitchMm",
                       fmt::format("is {:g} × {:g} mm; the projections' file has {:g} × {:g} mm, "
                                   "in {}",
                                   detector.pitchMm[0], detector.pitchMm[1], u, v, images.where));
}

void compareOffset(const Detector& detector, const StatedGeometry& images, ProblemList& problems) {
    const bool isLeftOut = detector.offsetMm == std::array<double, 2>{0, 0};
    if (!isLeftOut || !images.offsetMm || !placesDetector(images, detector)) return;
    const auto [u, v] = *images.offsetMm;
    if (std::abs(u) < detector.pitchMm[0] / 2 && std::abs(v) < detector.pitchMm[1] / 2) return;
    problems.warningOf("detector.offsetMm",
                       fmt::format("is 0, 0 mm; the projections' file has the detector's middle at "
                                   "{:g}, {:g} mm, in {}",
                                   u, v, images.where));
}

}  // namespace

std::vector<Problem> contradictedByImages(const ScanFile& scan) {
    ProblemList problems;
    const std::optional<StatedGeometry> images = statedOrNothing(scan);
    if (!images) return {};
    compareRowOrder(scan, *images, problems);
    comparePitch(scan.geometry.detector, *images, problems);
    // Poses already contain the detector's position; an offset beside them is a correction.
    if (scan.geometry.hasAngles()) compareOffset(scan.geometry.detector, *images, problems);
    return std::move(problems).sorted();
}

}  // namespace gantry
