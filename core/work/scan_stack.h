#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/io/scan_file/scan_file.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_sink.h"

namespace gantry {

/// One of several scans of the same object, between which the stage has moved it along the axis.
struct StackedScan {
    ScanFile scan;
    /// Where the scan's own z = 0 is in the object: so much lower did the object stand, mm.
    double heightMm = 0;
};

/// The heights of the object, mm, that a scan's views see whole, out to a radius: what it can give
/// to a volume of the object. Half a detector row at either end is left out.
struct HeightRange {
    double lowMm = 0;
    double highMm = 0;
};
[[nodiscard]] HeightRange heightsOf(const StackedScan& scan, double radiusMm);

/// The volume of the object that all scans see together, with the columns of `first`, the grid of
/// the first of them, and as many slices as they cover.
/// Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] VolumeGrid gridOfStack(const std::vector<StackedScan>& scans,
                                     const VolumeGrid& first);

/// The slices of the volume that each scan gives.
/// @throws InputError naming the scan that gives none, or the two between which nobody saw some
/// Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] std::vector<IndexRange> slicesOfStack(const std::vector<StackedScan>& scans,
                                                    const VolumeGrid& grid);

/// The same slices in the world of the scan that gives them.
[[nodiscard]] VolumeGrid partOfStack(const VolumeGrid& grid, IndexRange slices,
                                     const StackedScan& scan);

/// A scan's slices, reconstructed, and the places that they have in the volume.
struct StackPart {
    std::string name;  ///< of the scan, for what is said of it
    StoredVolume volume;
    IndexRange slices;
};

/// How two scans fit where both have slices.
struct StackFit {
    std::string lower;
    std::string upper;
    Index slices = 0;        ///< that both have
    double shiftSlices = 0;  ///< the upper one fits best so many slices higher than stated
    double difference = 0;   ///< rms over rms of the middle slice that both have, as stated
    bool isKnown = false;    ///< else too few slices for a shift, or nothing in them
    /// "scans A and B share 12 slices and differ there by 1.3 %"
    [[nodiscard]] std::string sentence(double pitchMm) const;
};

/// Compares the scans that are neighbours, by some slices about the middle of what they share.
/// parts: upwards
/// Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] std::vector<StackFit> stackFits(const std::vector<StackPart>& parts);

/// Writes all slices of the volume: where scans overlap, weighted by how far a slice is from the
/// end of each scan's own, so that one goes over into the next evenly. parts: upwards
/// @throws InputError naming a damaged file; ResourceError as the sink; Cancelled
/// Tests: tests/core/work/scan_stack_test.cpp
void joinStack(const std::vector<StackPart>& parts, const VolumeGrid& grid, VolumeSink& sink,
               int threads, const std::function<void(double)>& onProgress,
               const std::stop_token& stop);

}  // namespace gantry
