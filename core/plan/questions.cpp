#include "core/plan/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/engine/problem_class.h"
#include "core/geometry/footprint.h"
#include "core/plan/device_choice.h"
#include "core/plan/device_slabs.h"
#include "core/plan/host_memory.h"
#include "core/plan/plan_forecast.h"

namespace gantry {

namespace {

// A slab in the middle of the volume represents the others.
const SlabPlan& middleSlab(const JobPlan& plan) {
    return plan.slabs[plan.slabs.size() / 2];
}

// A question about work of the size that is most common in a plan.
Question questionOfPlan(Question::About about, const JobPlan& plan) {
    Question question;
    question.about = about;
    question.rows = middleSlab(plan).rows;
    question.batchViews = plan.batchViews;
    question.threads = plan.threads;
    return question;
}

void ask(std::vector<Question>& open, const Facts& known, Question question) {
    if (!known.find(question)) open.push_back(std::move(question));
}

std::vector<Question> gpuKernelQuestions(const PlanInputs& inputs) {
    std::vector<Question> open;
    const std::vector<Candidate> candidates = candidatesOf(inputs);
    for (const Candidate& candidate : candidates)
        if (!candidate.whyNot)
            ask(open, inputs.facts,
                gpuKernelQuestion(inputs, candidate.device.device, std::ssize(candidates)));
    return open;
}

}  // namespace

Question gpuKernelQuestion(const PlanInputs& inputs, int device, Index together) {
    const ReconstructionRequest& request = inputs.request;
    const VolumeGrid& grid = request.volume;
    const JobPlan batches = batchesOf(inputs);
    Question question;
    question.about = Question::About::kernel;
    question.engine = EngineKind::gpu;
    question.device = device;
    if (request.gpuKernel != kAnyKernel) question.kernel = request.gpuKernel;
    question.fast = request.fast;
    question.batchViews = batches.batchViews;
    question.threads = batches.threads;
    question.slices = std::max<Index>(
        1,
        grid.voxels[2] / (together * passesToOverlap(inputs.acquisition.geometry, grid, together)));
    const Index middle = (grid.voxels[2] - question.slices) / 2;
    question.rows =
        footprintRows(inputs.acquisition.geometry, grid, {middle, middle + question.slices});
    question.of = problemClass(trialJobOf(inputs.acquisition, request, question), request.fast);
    return question;
}

Question cpuKernelQuestion(const JobPlan& plan) {
    Question question = questionOfPlan(Question::About::kernel, plan);
    question.engine = EngineKind::cpu;
    question.kernel = plan.devices.front().kernel.kernel.name;
    question.of = fmt::format("{} threads", plan.threads);
    question.slices = middleSlab(plan).slices.size();
    return question;
}

Question deviceQuestion(const PlanInputs& inputs, const JobPlan& plan, Index index) {
    Question question = questionOfPlan(Question::About::device, plan);
    question.engine = plan.engine;
    question.device = plan.devices[index].device;
    question.of = fmt::format("{} columns", inputs.acquisition.geometry.detector.columns);
    question.slices = middleSlab(plan).slices.size();
    return question;
}

Question hostQuestion(const PlanInputs& inputs, const JobPlan& plan) {
    const bool onlyDevicesFilter =
        plan.engine == EngineKind::gpu && inputs.request.filterOn == FilterOn::gpu;
    Question question = questionOfPlan(Question::About::host, plan);
    question.hostTakes = onlyDevicesFilter ? plan.hostTakes() : ViewState::filtered;
    question.of = fmt::format("{} columns, {} threads",
                              inputs.acquisition.geometry.detector.columns, plan.threads);
    if (!inputs.acquisition.rectifier.isIdentity()) question.of += ", resampled";
    // The time to correct a view depends on the corrections' parameters.
    if (inputs.acquisition.corrections.changesPixels())
        question.of += ". " + describe(inputs.acquisition.corrections);
    if (plan.areStepsOnDevice || plan.areRowsResampledThere) {
        question.stepsOn = plan.devices.front().device;
        question.of += " On " + plan.devices.front().name;
    }
    return question;
}

Question storageQuestion(const PlanInputs& inputs, const JobPlan& plan) {
    Question question;
    question.about = Question::About::storage;
    question.of = fmt::format("{} threads", plan.threads);
    question.place = inputs.sink.folder.string();
    question.threads = plan.threads;
    return question;
}

std::string storageKind(const PlanInputs& inputs, const JobPlan& plan) {
    // A short volume may stay in the system's cache before the disk slows it down.
    const double octave =
        std::log2(static_cast<double>(std::max<Index>(1, inputs.sink.outputBytes)));
    std::string kind = fmt::format("{} of 2^{:.0f} bytes, {} at a time by {} threads",
                                   inputs.sink.kind, octave, plan.storeLanes, plan.threads);
    // Each rank gets only a part of the disk's rate and of the system's cache.
    if (plan.part)
        kind += fmt::format(" of each of {} ranks",
                            plan.part->plan.grid.rows * plan.part->plan.grid.columns);
    return kind;
}

DeviceJob trialJobOf(const Acquisition& acquisition, const ReconstructionRequest& request,
                     const Question& question) {
    DeviceJob job;
    job.acquisition = &acquisition;
    job.volume = request.volume;
    job.filter = request.filter;
    job.kernel = question.kernel;
    job.batchViews = question.batchViews;
    job.maxRows = question.rows.size();
    job.maxSlices = question.slices;
    job.slabsAtOnce = question.engine == EngineKind::cpu ? 1 : 2;
    job.chunkSlices = 1;
    job.threads = question.threads;
    return job;
}

std::vector<Question> questions(const PlanInputs& inputs, Purpose purpose,
                                const std::optional<FinishedSlabs>& finished) {
    if (runsOnDevices(inputs.request, inputs.machine)) {
        std::vector<Question> open = gpuKernelQuestions(inputs);
        if (!open.empty()) return open;
    }
    const JobPlan plan = planJob(inputs, finished);
    const bool isOnCpu = plan.engine == EngineKind::cpu;
    std::vector<Question> open;
    if (purpose == Purpose::run && !isFilterPlaceOpen(inputs, plan)) return open;
    ask(open, inputs.facts, hostQuestion(inputs, plan));
    if (isOnCpu) ask(open, inputs.facts, cpuKernelQuestion(plan));
    for (Index d = 0; !isOnCpu && d < std::ssize(plan.devices); ++d)
        ask(open, inputs.facts, deviceQuestion(inputs, plan, d));
    if (purpose == Purpose::forecast && !inputs.sink.folder.empty())
        ask(open, inputs.facts, storageQuestion(inputs, plan));
    return open;
}

}  // namespace gantry
