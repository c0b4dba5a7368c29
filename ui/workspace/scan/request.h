#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The field of scan.json that names the views to be left out; problems of that field are about
/// views that cannot be used.
inline constexpr const char* kSkipViews = "projections.skipViews";

/// The whole request: the scan with its geometry, the volume, filter, output, engine. All of it is
/// edited through one undo stack. The scan is saved in its file; the rest are settings of the
/// reconstruction, which are kept beside it (settings_file.h).
/// Tests: tests/ui/workspace/request_test.cpp
struct Request {
    JobSpec job;
    bool volumeIsFitted = true;  ///< job.volume follows the geometry's field of view
};

/// The initial request for a scan: its own volume or a fitted one, stored beside the scan as
/// "NAME.mha"; for a host's scan in the user's home folder. Accesses the disk.
[[nodiscard]] Request requestFor(const ScanFile& scan);

/// `wanted`, or if such a volume or a job of that name exists, the first free one of "NAME-2.mha",
/// "NAME-3.mha", ... A folder of slices keeps the slash at its end. Accesses the disk.
[[nodiscard]] std::filesystem::path freeOutputPath(const std::filesystem::path& wanted);

/// Which parts of two requests differ.
struct RequestChanges {
    bool scan = false;    ///< its description, its images or where its file is
    bool volume = false;  ///< the grid, or the geometry that it fits
    bool filter = false;  ///< the window and its cutoff
    bool corrections = false;
    bool engine = false;  ///< what reconstructs, how, and in how much memory
    bool output = false;

    [[nodiscard]] bool isAny() const {
        return scan || volume || filter || corrections || engine || output;
    }
};
inline constexpr RequestChanges kAllChanges{true, true, true, true, true, true};
[[nodiscard]] RequestChanges changesBetween(const Request& a, const Request& b);
[[nodiscard]] inline bool isSame(const Request& a, const Request& b) {
    return !changesBetween(a, b).isAny();
}
/// Whether both files would have the same content, apart from their locations.
[[nodiscard]] bool isSameScan(const ScanFile& a, const ScanFile& b);
/// Whether a field of scan.json, by its name there ("detector.pitchMm", or "detector.pitchMm[0]"),
/// is the same in both; true for unknown names. The sign of "trajectory.arcDeg" counts as a field
/// of its own, "trajectory.direction".
[[nodiscard]] bool isSameField(std::string_view field, const ScanFile& a, const ScanFile& b);
/// Whether both refer to the same files in the same way, ignoring the geometry and which of their
/// views are left out.
[[nodiscard]] bool isSameImages(const ScanFile& a, const ScanFile& b);

/// Updates a volume that follows the geometry, as far as the geometry allows.
void fitVolume(Request& request);

/// The problems of geometry, arc, volume and fields; errors first. Cheap.
[[nodiscard]] std::vector<Problem> problemsOf(const Request& request);
[[nodiscard]] bool hasError(const std::vector<Problem>& problems);

}  // namespace gantry
