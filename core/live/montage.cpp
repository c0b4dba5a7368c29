#include "core/live/montage.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/align/quick_slices.h"
#include "core/base/clock.h"
#include "core/geometry/views/ray_cover.h"
#include "core/live/job_slices.h"

namespace gantry {

namespace {

bool haveSameFiles(const ScanFile& a, ScanFile b) {
    b.geometry = a.geometry;
    return toJson(a) == toJson(b);
}

// Phase retrieval depends on the size of a pixel at the object, and on nothing else of the geometry
// that a slice depends on.
bool haveSameOptics(const ScanGeometry& a, const ScanGeometry& b) {
    return a.trajectory == b.trajectory && a.detector.pitchMm == b.detector.pitchMm;
}

MontagePicture pictureOf(JobSlices& slices, const JobSpec& job, const Plane& plane,
                         const std::stop_token& stop) {
    MontagePicture picture;
    slices.render(
        job, {plane},
        [&](const SliceStep& step) {
            if (!step.isFinal) return;
            const Span3<const float>& made = step.pictures.front();
            picture.pixels.assign(made.data(), made.data() + made.count());
            picture.binning = step.binning;
            picture.sharpness = sliceSharpness(job.scan.geometry, made);
        },
        stop);
    return picture;
}

}  // namespace

std::optional<double> sliceSharpness(const ScanGeometry& geometry,
                                     const Span3<const float>& slice) {
    if (!RayCover(geometry).seesBothSidesAlike()) return std::nullopt;
    return sharpness(slice).concentration;
}

bool areCorrectedAlike(const JobSpec& a, const JobSpec& b) {
    return a.corrections == b.corrections &&
           (!a.corrections.hasPhase() || haveSameOptics(a.scan.geometry, b.scan.geometry));
}

bool haveSameViews(const JobSpec& a, const JobSpec& b) {
    return areCorrectedAlike(a, b) && haveSameFiles(a.scan, b.scan);
}

bool haveSameSlices(const JobSpec& a, const JobSpec& b) {
    return a.scan.geometry == b.scan.geometry && a.filter == b.filter && a.rows == b.rows &&
           haveSameViews(a, b);
}

LivePlace montagePlace(const std::vector<JobSpec>& jobs, const Machine& machine,
                       Index hostFreeBytes) {
    LivePlace place = livePlace(jobs.front(), machine, hostFreeBytes);
    for (const JobSpec& job : jobs)
        if (place.device) place = livePlace(job, machine, hostFreeBytes);
    return place;
}

std::vector<MontagePicture> makeMontage(const MontageRequest& request, const Backends& backends,
                                        const std::stop_token& stop) {
    const auto count = static_cast<double>(request.jobs.size());
    std::unique_ptr<JobSlices> slices;
    const JobSpec* read = nullptr;  // the job whose views `slices` holds
    std::vector<MontagePicture> pictures;
    for (const JobSpec& job : request.jobs) {
        const std::int64_t begin = nowNs();
        const auto done = static_cast<double>(pictures.size());
        if (!read || !haveSameViews(*read, job)) {
            slices.reset();  // two sets of views may not fit into memory
            slices = std::make_unique<JobSlices>(
                job, request.place, backends, request.threads,
                [&](double part) { request.onProgress((done + kReadingShare * part) / count); },
                stop);
            read = &job;
        }
        pictures.push_back(pictureOf(*slices, job, request.plane, stop));
        pictures.back().seconds = secondsSince(begin);
        request.onProgress((done + 1) / count);
    }
    return pictures;
}

MontageScores scoresOf(const std::vector<std::optional<double>>& sharpness) {
    constexpr double kClearly = 0.005;
    MontageScores scores;
    scores.shares.resize(sharpness.size());
    const auto best = std::ranges::max_element(sharpness);  // none is below any number
    if (best == sharpness.end() || !(best->value_or(0) > 0)) return scores;
    bool isClear = false;
    for (std::size_t i = 0; i < sharpness.size(); ++i) {
        if (!sharpness[i]) continue;
        scores.shares[i] = *sharpness[i] / **best;
        isClear = isClear || *scores.shares[i] < 1 - kClearly;
    }
    if (isClear) scores.best = static_cast<std::size_t>(best - sharpness.begin());
    return scores;
}

}  // namespace gantry
