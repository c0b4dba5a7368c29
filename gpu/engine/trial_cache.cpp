#include "gpu/engine/trial_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/version.h"
#include "gpu/kernels/cone_batch.h"

namespace gantry {

namespace {

using nlohmann::json;

constexpr std::size_t kMostTrials = 500;

// The entries of the file; an empty list where it is not such a file.
json readTrials(const std::filesystem::path& file) {
    try {
        const json content = parseJson(readTextFile(file), file.string());
        if (content.is_object() && content.value("gantryKernelTrials", 0) == 1 &&
            content.contains("trials") && content["trials"].is_array())
            return content["trials"];
    } catch (const Error&) {
    } catch (const json::exception&) {
    }
    return json::array();
}

json toJson(const TrialKey& key) {
    return {{"device", key.device},
            {"driver", key.driverVersion},
            {"program", key.program},
            {"problem", key.problem}};
}

bool isOf(const json& trial, const TrialKey& key) {
    const json expected = toJson(key);
    return trial.is_object() &&
           std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& field) {
               return trial.contains(field.key()) && trial[field.key()] == field.value();
           });
}

double octave(double value, double steps) {
    return value > 0 ? std::round(steps * std::log2(value)) / steps + 0.0 : 0;  // no "-0"
}

double octaveOf(Index count) {
    return octave(static_cast<double>(count), 1);
}

// How far a voxel's width and its height reach on the detector, at the isocentre.
struct DetectorStep {
    double columns;
    double rows;
};

DetectorStep stepOnDetector(const DeviceJob& job) {
    const ProjectionMatrix& matrix = job.acquisition->geometry.matrices.front();
    const ProjectionMatrix::Point at = matrix.project(0, 0, 0);
    // The derivative of (row i · X) / (row 2 · X), pixels a mm.
    const auto slope = [&](std::size_t i, double pixel, std::size_t axis) {
        return (matrix.m[i][axis] - pixel * matrix.m[2][axis]) / at.z;
    };
    return {job.volume.pitchMm[0] * std::hypot(slope(0, at.u, 0), slope(0, at.u, 1)),
            job.volume.pitchMm[2] * slope(1, at.v, 2)};
}

}  // namespace

bool isSymmetric(const DeviceJob& job) {
    constexpr double kTolerance = 1e-6;
    const AlignedViews& geometry = job.acquisition->geometry;
    const double rows = 2 * geometry.detector.midplaneRow();
    return (job.mostSlices == 0 || job.mostSlices >= job.volume.voxels[2]) &&
           std::abs(job.volume.centerMm[2] - geometry.midplaneMm) <
               kTolerance * job.volume.pitchMm[2] &&
           std::abs(rows - std::round(rows)) < kTolerance;
}

TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast) {
    const AlignedViews& geometry = job.acquisition->geometry;
    const DetectorStep step = stepOnDetector(job);
    const std::string wish = job.kernel.empty() ? (fast ? "fast" : "exact") : job.kernel;
    const auto& voxels = job.volume.voxels;
    TrialKey key;
    key.device = device.uuid.empty() ? device.name : device.uuid;
    key.driverVersion = device.driverVersion;
    key.program = programVersion();
    key.problem = fmt::format(
        "volume 2^({},{},{}) detector 2^({},{}) batch {} step 2^({},{}) {} {}", octaveOf(voxels[0]),
        octaveOf(voxels[1]), octaveOf(job.mostSlices > 0 ? job.mostSlices : voxels[2]),
        octaveOf(geometry.detector.columns),
        octaveOf(job.mostRows > 0 ? job.mostRows : geometry.detector.rows),
        std::min<Index>(job.batchViews, gpu::kMostViews), octave(step.columns, 4),
        octave(step.rows, 4), isSymmetric(job) ? "symmetric" : "one-sided", wish);
    return key;
}

std::optional<KernelChoice> TrialCache::find(const TrialKey& key) const {
    for (const json& trial : readTrials(m_file)) {
        if (!isOf(trial, key)) continue;
        const auto kernel = trial.find("kernel");
        const auto speed = trial.find("updatesPerSecond");
        if (kernel == trial.end() || !kernel->is_string() || speed == trial.end() ||
            !speed->is_number() || !(speed->get<double>() > 0))
            continue;
        return KernelChoice{kernel->get<std::string>(), speed->get<double>()};
    }
    return {};
}

void TrialCache::keep(const TrialKey& key, const KernelChoice& choice) const noexcept {
    try {
        json trials = json::array();
        json trial = toJson(key);
        trial["kernel"] = choice.kernel;
        trial["updatesPerSecond"] = choice.updatesPerSecond;
        trials.push_back(trial);
        for (const json& other : readTrials(m_file))
            if (!isOf(other, key) && trials.size() < kMostTrials) trials.push_back(other);
        std::error_code ignored;
        std::filesystem::create_directories(m_file.parent_path(), ignored);
        const json content = {{"gantryKernelTrials", 1}, {"trials", trials}};
        writeFileAtomically(m_file, jsonText(content, 1) + "\n");
    } catch (...) {
        // The next run repeats the trial.
    }
}

}  // namespace gantry
