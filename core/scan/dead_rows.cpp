#include "core/scan/dead_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/geometry/footprint.h"
#include "core/prep/pixel_repair.h"

namespace gantry {

namespace {

// "row 3", "rows 3 to 5"
std::string counted(const char* what, IndexRange range) {
    return range.size() == 1 ? fmt::format("{} {}", what, range.begin)
                             : fmt::format("{}s {} to {}", what, range.begin, range.end - 1);
}

// The slices, from the first to the last, that are made from some of these rows.
IndexRange slicesOf(const std::vector<IndexRange>& rowsOfSlice, IndexRange rows) {
    IndexRange slices;
    for (Index z = 0; z < std::ssize(rowsOfSlice); ++z) {
        const IndexRange& needed = rowsOfSlice[static_cast<std::size_t>(z)];
        if (std::max(needed.begin, rows.begin) < std::min(needed.end, rows.end))
            slices = hullOf(slices, {z, z + 1});
    }
    return slices;
}

}  // namespace

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
                              counted("row", group.rows), isOne ? "has" : "have",
                              counted("slice", slices), slices.size() == 1 ? "needs" : "need",
                              isOne ? "it" : "them", slices.size() == 1 ? "is" : "are")
                : fmt::format("Nothing is known of detector {} (from the bottom), without a usable "
                              "pixel and without good rows on both sides within {} rows: do not "
                              "trust {}.",
                              counted("row", group.rows), PixelRepair::kReachRows,
                              counted("slice", slices)));
    }
    return notes;
}

}  // namespace gantry
