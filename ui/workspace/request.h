#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/geometry/validate.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The field of scan.json that names the views to be left out; problems of that field are about
/// views that cannot be used.
inline constexpr const char* kSkipViews = "projections.skipViews";

/// The whole request: the scan with its geometry, the volume, filter, output, engine. All of it is
/// edited through one undo stack. The scan is what its file describes and is saved as; the rest are
/// settings of the reconstruction, which are kept beside it (settings_file.h).
/// Tests: tests/ui/workspace/request_test.cpp
struct Request {
    JobSpec job;
    bool volumeIsFitted = true;  ///< job.volume follows the geometry's field of view
};

/// The initial request for a scan: its own volume, or else a fitted one, beside it on the disk as
/// "NAME.mha"; that of a host's scan in the user's own folder. Looks at the disk.
[[nodiscard]] Request requestFor(const ScanFile& scan);

/// `wanted`, or where there is such a volume or a job of that name already, the first free one of
/// "NAME-2.mha", "NAME-3.mha", ... A folder of slices keeps the slash at its end. Looks at the
/// disk.
[[nodiscard]] std::filesystem::path freeOutputPath(const std::filesystem::path& wanted);

[[nodiscard]] bool isSame(const Request& a, const Request& b);
/// Whether both files would say the same of the scan; where they lie is no part of it.
[[nodiscard]] bool isSameScan(const ScanFile& a, const ScanFile& b);
/// Whether a field of scan.json, by its name there ("detector.pitchMm", or "detector.pitchMm[0]"),
/// is the same in both; one of an unknown name always is. The sign of "trajectory.arcDeg" is a
/// field of its own, "trajectory.direction".
[[nodiscard]] bool isSameField(std::string_view field, const ScanFile& a, const ScanFile& b);
/// Whether both mean the same files in the same way, whatever the geometry, and whichever of their
/// views are left out.
[[nodiscard]] bool isSameImages(const ScanFile& a, const ScanFile& b);

/// Makes a volume that follows the geometry do so, as far as the geometry allows.
void fitVolume(Request& request);

/// What is wrong with geometry, arc, volume and fields; errors first. Cheap.
[[nodiscard]] std::vector<Problem> problemsOf(const Request& request);
[[nodiscard]] bool hasError(const std::vector<Problem>& problems);

/// Makes a scan that of the file `path`, its patterns meaning the same images as before: relative
/// ones where the images lie in the file's folder, or in folders in it.
void moveScan(ScanFile& scan, const std::filesystem::path& path);

}  // namespace gantry
