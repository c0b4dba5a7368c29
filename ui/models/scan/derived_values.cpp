#include "ui/models/scan/derived_values.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/filter/redundancy.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/volume_grid.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

double spanDeg(const ScanGeometry& geometry, std::size_t axis, Index pixels) {
    const AlignedDetector detector = alignedDetector(geometry);
    const double middle = detector.centerMm[axis];
    const double half = static_cast<double>(pixels) * detector.pitchMm[axis] / 2;
    const double sdd = detector.distanceMm;
    return degrees(std::atan2(middle + half, sdd) - std::atan2(middle - half, sdd));
}

QString voxelText(const ScanGeometry& geometry) {
    const double scale = 1 / geometry.magnification();
    const auto& pitch = geometry.detector.pitchMm;
    if (pitch[0] == pitch[1]) return lengthText(pitch[0] * scale);
    return lengthsText({pitch[0] * scale, pitch[1] * scale});
}

QString fieldText(const ScanGeometry& geometry) {
    const FieldOfView field = fieldOfView(geometry);
    return tr("⌀ %1").arg(lengthsText({2 * field.radiusMm, field.zMaxMm - field.zMinMm}));
}

QString neededArcText(const ScanGeometry& geometry) {
    try {
        return tr("%1°").arg(numberText(planRedundancy(geometry).neededArcDeg, 5));
    } catch (const InputError&) {
        const AlignedDetector detector = alignedDetector(geometry);
        const double left = -rayAcross(detector, -0.5);
        const double right = rayAcross(detector, static_cast<double>(detector.columns) - 0.5);
        return tr("%1°").arg(numberText(180 + 2 * degrees(std::min(left, right)), 5));
    }
}

bool isUsable(const ScanGeometry& geometry) {
    const std::vector<Problem> problems = validate(geometry);
    return std::ranges::none_of(problems, [](const Problem& problem) {
        return problem.severity == Problem::Severity::error;
    });
}

}  // namespace

std::vector<DerivedValue> derivedValues(const ScanGeometry& geometry) {
    const bool isSound = isUsable(geometry);
    const auto value = [&](const char* name, const QString& label,
                           QString (*text)(const ScanGeometry&), const QString& toolTip) {
        return DerivedValue{name, label, isSound ? text(geometry) : tr("–"), toolTip};
    };
    return {
        value(
            "magnification", tr("Magnification"),
            [](const ScanGeometry& g) { return tr("%1 ×").arg(numberText(g.magnification(), 4)); },
            tr("How much larger than itself the object falls onto the detector: SDD / SOD.")),
        value("voxel", tr("Voxel"), voxelText,
              tr("A detector pixel scaled down to the rotation axis: the finest voxel that makes "
                 "sense.")),
        value("fieldOfView", tr("Field of view"), fieldText,
              tr("Diameter and height of the cylinder about the rotation axis that the detector "
                 "sees. What sticks out of it makes bright rims.")),
        value(
            "fanAndCone", tr("Fan × cone"),
            [](const ScanGeometry& g) {
                if (g.isParallel()) return tr("parallel");
                return tr("%1° × %2°")
                    .arg(numberText(spanDeg(g, 0, g.detector.columns), 3),
                         numberText(spanDeg(g, 1, g.detector.rows), 3));
            },
            tr("Opening of the beam across and along the rotation axis. Above some 20°, the cone "
               "blurs flat surfaces far from the mid-plane.")),
        value(
            "step", tr("Step"),
            [](const ScanGeometry& g) {
                return tr("%1°").arg(
                    numberText(g.coverageDeg() / static_cast<double>(g.views()), 4));
            },
            tr("Mean angle between two views. Too coarse a step makes streaks at the rim.")),
        value("neededArc", tr("Arc needed"), neededArcText,
              tr("The least arc from which every ray is measured: 180° and the fan, or a full "
                 "circle where the detector is offset, or a parallel beam's axis leans along it.")),
    };
}

bool isPracticallyParallel(const ScanGeometry& geometry) {
    constexpr double kMaxMagnification = 1.05;
    constexpr double kMaxSpread = 0.1;  // of a voxel
    if (geometry.isParallel() || !isUsable(geometry) ||
        geometry.magnification() > kMaxMagnification)
        return false;
    const double depth = 2 * fieldOfView(geometry).radiusMm;
    const Detector& detector = geometry.detector;
    const auto spread = [&](std::size_t axis, Index pixels) {
        const double half = radians(spanDeg(geometry, axis, pixels)) / 2;
        return half * depth * geometry.magnification() / detector.pitchMm[axis];
    };
    return std::max(spread(0, detector.columns), spread(1, detector.rows)) < kMaxSpread;
}

QString beamNote(const ScanGeometry& geometry) {
    return isPracticallyParallel(geometry)
               ? tr("The beam is practically parallel: an arc of 180° is enough.")
               : QString();
}

QString beamHelp() {
    return tr(
        "The source is so far away that the magnification hardly differs from 1, and rays "
        "spread by less than a tenth of a voxel over the object.");
}

}  // namespace gantry
