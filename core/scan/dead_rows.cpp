#include "core/scan/dead_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbered.h"
#include "core/geometry/footprint.h"
#include "core/geometry/views/ray_cover.h"
#include "core/prep/pixel_repair.h"

namespace gantry {

namespace {

// The slices, from the first to the last, that are made from some of these rows.
IndexRange slicesOf(const std::vector<IndexRange>& rowsOfSlice, IndexRange rows) {
    IndexRange slices;
    for (Index z = 0; z < std::ssize(rowsOfSlice); ++z) {
        const IndexRange& needed = rowsOfSlice[z];
        if (std::max(needed.begin, rows.begin) < std::min(needed.end, rows.end))
            slices = hullOf(slices, {z, z + 1});
    }
    return slices;
}

// Neighbouring columns without one good pixel.
std::vector<IndexRange> deadColumnsOf(const DetectorCalibration& calibration) {
    std::vector<IndexRange> found;
    if (calibration.bad.count() == 0) return found;
    std::vector<bool> isGood(calibration.columns);
    for (Index i = 0; i < calibration.bad.count(); ++i)
        if (calibration.bad[i] == 0) isGood[i % calibration.columns] = true;
    for (Index u = 0; u < calibration.columns; ++u) {
        if (isGood[u]) continue;
        if (!found.empty() && found.back().end == u)
            ++found.back().end;
        else
            found.push_back({u, u + 1});
    }
    return found;
}

// How far from the rotation axis rays to the middle of these columns pass.
double distanceFromAxisMm(const ScanGeometry& geometry, IndexRange columns) {
    const AlignedDetector detector = alignedDetector(geometry);
    const double across =
        std::abs(rayAcross(detector, static_cast<double>(columns.begin + columns.end - 1) / 2));
    return detector.isParallel() ? across : detector.axisDistanceMm * std::sin(across);
}

}  // namespace

std::vector<std::string> deadColumnsNotes(const OpenScan& scan) {
    std::vector<std::string> notes;
    for (const IndexRange& columns : deadColumnsOf(*scan.calibration))
        notes.push_back(fmt::format(
            "Detector {} {} no usable pixel, and {} interpolated from those to the left and right: "
            "what is finer than that is lost {:.3g} mm from the rotation axis, where a ring may "
            "show.",
            numbered("column", columns), columns.size() == 1 ? "has" : "have",
            columns.size() == 1 ? "is" : "are",
            distanceFromAxisMm(scan.description.geometry, columns)));
    return notes;
}

std::vector<std::string> deadRowsNotes(const OpenScan& scan, const VolumeGrid& grid) {
    std::vector<std::string> notes;
    const std::vector<DeadRows> dead = deadRowsOf(*scan.calibration);
    if (dead.empty()) return notes;
    std::vector<IndexRange> rowsOfSlice;
    for (Index z = 0; z < grid.voxels[2]; ++z)
        rowsOfSlice.push_back(
            scan.rectifier.sourceRows(footprintRows(scan.geometry, grid, {z, z + 1})));
    for (const DeadRows& group : dead) {
        const IndexRange slices = slicesOf(rowsOfSlice, group.rows);
        if (slices.empty()) continue;
        const bool isOne = group.rows.size() == 1;
        notes.push_back(
            group.isKnown
                ? fmt::format("Detector {} (from the bottom) {} no usable pixel: {}, which {} {}, "
                              "{} interpolated from the rows above and below.",
                              numbered("row", group.rows), isOne ? "has" : "have",
                              numbered("slice", slices), slices.size() == 1 ? "needs" : "need",
                              isOne ? "it" : "them", slices.size() == 1 ? "is" : "are")
                : fmt::format("Nothing is known of detector {} (from the bottom), without a usable "
                              "pixel and without good rows on both sides within {} rows: do not "
                              "trust {}.",
                              numbered("row", group.rows), PixelRepair::kReachRows,
                              numbered("slice", slices)));
    }
    return notes;
}

}  // namespace gantry
