#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/engine/backends.h"
#include "core/engine/plane_preview.h"
#include "core/live/live_place.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The same slice as each of some jobs makes it, of one scan.
struct MontageRequest {
    std::vector<JobSpec> jobs;  ///< one or more, a picture each
    Plane plane;
    LivePlace place;
    int threads = 1;
    /// Called from any thread with the fraction of the whole that is done.
    std::function<void(double)> onProgress = [](double) {};
};

struct MontagePicture {
    std::vector<float> pixels;  ///< 1/mm, [row][column], as many as the plane has
    Index binning = 1;          ///< detector pixels, along each side, that memory made into one
    double seconds = 0;         ///< that it took, with views that were read for it
    std::optional<double> sharpness;  ///< see sliceSharpness()
};

/// Sharpness::concentration of a slice, [0][row][column]. None behind an offset detector, where
/// every edge is seen from one side alone: with a wrong geometry it moves, and is no less sharp.
/// Tests: tests/core/live/montage_test.cpp
[[nodiscard]] std::optional<double> sliceSharpness(const ScanGeometry& geometry,
                                                   const Span3<const float>& slice);

/// Whether two jobs on the same files correct their views in the same way.
[[nodiscard]] bool areCorrectedAlike(const JobSpec& a, const JobSpec& b);
/// Whether two jobs take the same values from their views before these are filtered.
[[nodiscard]] bool haveSameViews(const JobSpec& a, const JobSpec& b);
/// Whether two jobs make the same slices, as far as what they were asked for tells.
[[nodiscard]] bool haveSameSlices(const JobSpec& a, const JobSpec& b);

/// The CPU if any of the jobs needs it, as for rows that a GPU does not filter along.
/// hostFreeBytes: of the host, now
[[nodiscard]] LivePlace montagePlace(const std::vector<JobSpec>& jobs, const Machine& machine,
                                     Index hostFreeBytes);

/// Part of a picture's time that is reading and correcting its views, for the progress alone.
inline constexpr double kReadingShare = 0.7;

/// Makes the pictures, as exact as those of a whole reconstruction. Views are read and corrected
/// once for neighbouring jobs that have the same ones.
/// @throws InputError, ResourceError as JobSlices; Cancelled
/// Tests: tests/core/live/montage_test.cpp
[[nodiscard]] std::vector<MontagePicture> makeMontage(const MontageRequest& request,
                                                      const Backends& backends,
                                                      const std::stop_token& stop);

/// How sharp pictures are beside each other.
struct MontageScores {
    /// One a picture: its share of the sharpest one's sharpness; none where it is not known.
    std::vector<std::optional<double>> shares;
    std::optional<std::size_t> best;  ///< none: they are all as sharp, to half a percent
};
/// sharpness: one a picture, none where it says nothing
[[nodiscard]] MontageScores scoresOf(const std::vector<std::optional<double>>& sharpness);

}  // namespace gantry
