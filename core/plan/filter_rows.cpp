#include "core/plan/filter_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/geometry/footprint.h"
#include "core/geometry/vec3.h"
#include "core/plan/device_choice.h"
#include "core/plan/host_memory.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"

namespace gantry {

namespace {

// Rows that are rolled about the beam weigh frequencies along the axis by the roll's tangent, with
// opposite signs in opposite views. Where these share a ray evenly that cancels out; otherwise
// levels are off by about 1 % for each degree.
constexpr double kMaxRollDeg = 0.2;

bool shareEvenly(const RedundancyPlan& plan) {
    return plan.cover.isClosed() && plan.cover.seesBothSidesAlike();
}

bool areOwnRowsExact(const ScanGeometry& declared) {
    if (std::abs(declared.detector.rollDeg) <= kMaxRollDeg) return true;
    for (const Problem& problem : validate(declared))
        if (problem.severity == Problem::Severity::error) return true;  // it is not opened anyway
    try {
        return shareEvenly(planRedundancy(declared));
    } catch (const InputError&) {
        return true;
    }
}

// How far the views' rows leave the plane that is perpendicular to z.
double maxRollOf(const AlignedViews& views) {
    double max = 0;
    for (const ProjectionMatrix& matrix : views.matrices) {
        const auto row = [&](std::size_t i) {
            return Vec3{matrix.m[i][0], matrix.m[i][1], matrix.m[i][2]};
        };
        // A row's points are those at which the second coordinate is constant; parallel rays have
        // no depth, and their first coordinate changes along the row alone.
        const Vec3 along = length(row(2)) > 0 ? cross(row(1), row(2)) : row(0);
        max = std::max(max, std::abs(std::asin(std::clamp(along.z / length(along), -1.0, 1.0))));
    }
    return degrees(max);
}

Question resampleQuestion(const PlanInputs& upright) {
    JobPlan plan = planJob(upright);
    const VolumeGrid& grid = upright.request.volume;
    const IndexRange middle = {grid.voxels[2] / 2, grid.voxels[2] / 2 + 1};
    plan.slabs = {{middle, footprintRows(upright.acquisition.geometry, grid, middle)}};
    Question question = hostQuestion(upright, plan);
    question.hostTakes = ViewState::prepared;
    return question;
}

// Seconds of the run as far as rates are known; those that are not are the same for both.
double wallOf(const PlanInputs& inputs, double preparePixels) {
    const JobPlan plan = planJob(inputs);
    MachineRates rates = ratesOf(inputs, plan);
    rates.preparePixels = preparePixels;
    return forecast(workOnDevices(inputs, plan), plan.handedOver, rates).wall;
}

// What views lose that are filtered along rolled rows; empty where that is nothing.
std::string rollNote(const Acquisition& acquisition) {
    if (shareEvenly(acquisition.redundancy)) return {};
    const double rollDeg = maxRollOf(acquisition.geometry);
    if (rollDeg <= kMaxRollDeg) return {};
    return fmt::format(
        " These rows are rolled by {:.2g}°, and opposite views do not share all rays evenly: "
        "levels may be off by about {:.1g} %, which upright rows avoid.",
        rollDeg, rollDeg);
}

}  // namespace

FilterRows filterRowsOf(const JobSpec& job, const Machine& machine) {
    return usualRows(job, machine).rows;
}

RowsChoice usualRows(const JobSpec& job, const Machine& machine) {
    if (job.rows) return {*job.rows, {}};
    const ScanGeometry& declared = job.scan.geometry;
    if (declared.poses() || declared.isAligned()) return {FilterRows::own, {}};
    if (!areOwnRowsExact(declared))
        return {FilterRows::upright,
                fmt::format("Upright rows were chosen: the detector is rolled by {:.2g}°, and "
                            "opposite views do not share all rays evenly, so that its own rows "
                            "would give levels that are off by about {:.1g} %.",
                            declared.detector.rollDeg, std::abs(declared.detector.rollDeg))};
    return {runsOnDevices(job, machine) ? FilterRows::upright : FilterRows::own, {}};
}

bool areRowsOpen(const JobSpec& job, const Machine& machine) {
    const ScanGeometry& declared = job.scan.geometry;
    return !job.rows && !declared.poses() && !declared.isAligned() && runsOnDevices(job, machine) &&
           areOwnRowsExact(declared);
}

// A run that it takes no longer to resample has nothing to gain from trials, which take as long. No
// processor resamples more slowly than so; a GPU is bounded by its link, which these pixels cross
// twice.
bool isResamplingShort(const PlanInputs& upright) {
    constexpr double kShortSeconds = 0.3;
    constexpr double kSlowestPixels = 15e6;  // a second and thread
    constexpr double kShortSecondsOfGpu = 0.7;
    constexpr double kSlowestPixelsOfGpu = 1.6e9;
    const SourceInfo& stored = upright.acquisition.stored;
    const auto pixels = static_cast<double>(stored.views * stored.rows * stored.columns);
    const JobPlan plan = planJob(upright);
    return pixels < (plan.areRowsResampledThere ? kShortSecondsOfGpu * kSlowestPixelsOfGpu
                                                : kShortSeconds * kSlowestPixels * plan.threads);
}

std::vector<Question> rowsQuestions(const PlanInputs& inputs) {
    std::vector<Question> open = questions(inputs, Purpose::run);
    if (inputs.acquisition.rectifier.isIdentity()) return open;
    if (Question resampling = resampleQuestion(inputs); !inputs.facts.find(resampling))
        open.push_back(std::move(resampling));
    return open;
}

RowsChoice fasterRows(const PlanInputs& upright, const PlanInputs& own) {
    constexpr double kClearlyShorter = 0.9;
    const Question question = resampleQuestion(upright);
    const auto* resampling = upright.facts.find<HostRates>(question);
    const bool isKnown = resampling && resampling->preparePixels > 0 &&
                         rowsQuestions(upright).empty() && rowsQuestions(own).empty();
    if (!isKnown) return {FilterRows::upright, {}};
    const double uprightSeconds = wallOf(upright, resampling->preparePixels);
    const double ownSeconds = wallOf(own, 0);
    const double millions = resampling->preparePixels / 1e6;
    const char* resampler = question.stepsOn ? "the GPU" : "the CPU";
    if (ownSeconds < kClearlyShorter * uprightSeconds)
        return {
            FilterRows::own,
            fmt::format("The detector's own rows were chosen: back-projecting takes about "
                        "{:.1f} s along them, and {:.1f} s after resampling all views, of which "
                        "{} does {:.0f} million pixels a second.",
                        ownSeconds, uprightSeconds, resampler, millions)};
    return {FilterRows::upright,
            fmt::format("Upright rows were chosen: back-projecting takes about {:.1f} s after "
                        "resampling all views, of which {} does {:.0f} million pixels a second, "
                        "and {:.1f} s along the detector's own rows.",
                        uprightSeconds, resampler, millions, ownSeconds)};
}

std::string rowsNote(const Acquisition& acquisition, EngineKind engine) {
    const bool onGpus = engine == EngineKind::gpu;
    if (!acquisition.rectifier.isIdentity())
        return fmt::format(
            "Each view is resampled onto an upright detector, without roll, tilt and slant.{}",
            onGpus && shareEvenly(acquisition.redundancy)
                ? " GPUs are fastest so; along the detector's own rows nothing is resampled, which "
                  "is a little sharper where pixels are coarse."
                : "");
    if (acquisition.geometry.areAligned()) return {};
    return fmt::format(
        "Each view is filtered along its own detector's rows; none is resampled.{}{}",
        rollNote(acquisition),
        onGpus ? " GPUs back-project such views with a kernel that takes any pose, which is slower "
                 "than those for an upright detector on a circle."
               : "");
}

}  // namespace gantry
