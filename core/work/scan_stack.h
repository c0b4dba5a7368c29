#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_sink.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The entry of one scan in the record of a stack's volume.
struct RecordedScan {
    std::filesystem::path scan;
    double heightMm = 0;        ///< see StackedScan
    IndexRange slices;          ///< of the volume, to which it contributes
    std::filesystem::path job;  ///< the job that has made its part
    /// The volume of its part; the record of that job lies beside it.
    std::filesystem::path part;
};

/// The record beside a volume of several scans, JSON: like that of a single volume, with the
/// checksums of all files that were read, and for each scan its heights, its slices and the record
/// of its part. whole: the request for the volume, taken from the first scan. notes: how heights
/// were found, and how neighbours match
/// @throws InputError naming the record of a part that is missing or damaged
/// Tests: tests/cli/test_main_path.py
[[nodiscard]] std::string stackRecord(const JobSpec& whole, const std::vector<RecordedScan>& scans,
                                      const std::vector<std::string>& notes);

/// One of several scans of the same object, between which the stage moved it along the axis.
struct StackedScan {
    ScanFile scan;
    /// Height in the object of the scan's own z = 0, mm: the object stood lower by this much.
    double heightMm = 0;
};

/// The range of heights of the object, mm, that a scan's views show completely, out to a radius:
/// what it can contribute to a volume of the object. Half a detector row at either end is left out.
struct HeightRange {
    double lowMm = 0;
    double highMm = 0;
};
[[nodiscard]] HeightRange heightsOf(const StackedScan& scan, double radiusMm);

/// The volume of the object that all scans show together: with the columns of `first`, the grid of
/// the first scan, and as many slices as they cover. Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] VolumeGrid gridOfStack(const std::vector<StackedScan>& scans,
                                     const VolumeGrid& first);

/// The slices of the volume that each scan contributes.
/// @throws InputError naming the scan that contributes none, or the two between which some are
/// missing Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] std::vector<IndexRange> slicesOfStack(const std::vector<StackedScan>& scans,
                                                    const VolumeGrid& grid);

/// The same slices in the world of the scan that contributes them.
[[nodiscard]] VolumeGrid partOfStack(const VolumeGrid& grid, IndexRange slices,
                                     const StackedScan& scan);

/// The reconstructed slices of a scan, and their places in the volume.
struct StackPart {
    std::string name;  ///< of the scan, for messages
    StoredVolume volume;
    IndexRange slices;
};

/// How well two scans match where both have slices.
struct StackFit {
    std::string lower;
    std::string upper;
    Index slices = 0;        ///< that both have
    double shiftSlices = 0;  ///< the upper one matches best if moved up by so many slices
    double difference = 0;   ///< rms of the difference over rms of the common middle slice, as
                             ///< stated
    bool isKnown = false;    ///< false: too few slices for a shift, or nothing in them
    /// "scans A and B share 12 slices and differ there by 1.3 %"
    [[nodiscard]] std::string sentence(double pitchMm) const;
};

/// Compares neighbouring scans by some slices about the middle of those they share.
/// parts: upwards
/// Tests: tests/core/work/scan_stack_test.cpp
[[nodiscard]] std::vector<StackFit> stackFits(const std::vector<StackPart>& parts);

/// Writes all slices of the volume. Where scans overlap, each is weighted by the distance of a
/// slice from the end of its own slices, so that one fades into the next. parts: upwards
/// @throws InputError naming a damaged file; ResourceError as the sink; Cancelled
/// Tests: tests/core/work/scan_stack_test.cpp
void joinStack(const std::vector<StackPart>& parts, const VolumeGrid& grid, VolumeSink& sink,
               int threads, const std::function<void(double)>& onProgress,
               const std::stop_token& stop);

}  // namespace gantry
