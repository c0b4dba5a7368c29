#include "core/work/iterative_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/clock.h"
#include "core/base/host_buffer.h"
#include "core/base/throw_error.h"
#include "core/metrics/volume_summary.h"
#include "core/report/report.h"

namespace gantry {

namespace {

// States and previews each take at most this part of the time.
constexpr double kShareOfTime = 0.03;
constexpr double kPreviewPauseSeconds = 1;    // min. from one preview to the next
constexpr double kStateBytesPerSecond = 1e9;  // until a state has been written

// Whether enough time has passed since `sinceNs` for work that takes so long.
bool isTime(std::int64_t sinceNs, double seconds) {
    return secondsSince(sinceNs) * kShareOfTime > seconds;
}

}  // namespace

IterativeJob::IterativeJob(Job job, std::vector<IterationFigures> earlier)
    : m_job(std::move(job)),
      m_plan(m_job.plan),
      m_resumed(readIterationState(m_job.directory)),
      m_iterations(std::move(earlier)),
      m_isFirst(!m_job.ranks || m_job.ranks->rank() == 0) {
    m_about.inputs = m_job.inputs;
    m_about.slabSlices = m_plan.iterations->slabSlices;
    m_stateSeconds = static_cast<double>(m_plan.iterations->stateBytes) / kStateBytesPerSecond;
    const Index done = m_resumed ? m_resumed->iteration : 0;
    std::erase_if(m_iterations, [&](const IterationFigures& one) { return one.iteration > done; });
    if (!m_resumed) return;
    if (m_resumed->inputs != m_job.inputs)
        throwError<InputError>(
            "The scan's files have changed since the job {} was interrupted. Start it again from "
            "the beginning.",
            m_job.directory.folder().string());
    // With more ranks than before, the slabs are whole parts again.
    Index thickest = 0;
    for (const SpacePart& part : m_plan.iterations->parts)
        thickest = std::max(thickest, part.slices.size());
    const Index slab = std::min(m_resumed->slabSlices, thickest);
    if (slab > m_plan.iterations->slabSlices)
        throwError<ResourceError>(
            "The memory does not suffice: the interrupted run projected {} slices at a time, and "
            "there is room for {}. Run `gantry worker JOB --memory SIZE` with more, or close other "
            "programs.",
            slab, m_plan.iterations->slabSlices);
    m_about.slabSlices = m_plan.iterations->slabSlices = slab;
    if (m_isFirst) m_about.invalid = m_resumed->invalid;
}

void IterativeJob::log(const char* level, const std::string& text) {
    if (m_isFirst) m_job.events.log(level, text);
}

InvalidPixels IterativeJob::run(const Backends& backends, VolumeSink& sink,
                                const RunObserver& observer, const std::stop_token& stop) {
    IterativeRun run(m_job.scan, m_job.spec, m_plan, backends, observer, {m_job.ranks, stop});
    begin(run, stop);
    iterate(run, stop);
    storeVolume(run, m_plan, m_job.spec.volume, sink, stop);
    return m_about.invalid;
}

void IterativeJob::begin(IterativeRun& run, const std::stop_token& stop) {
    if (m_resumed) {
        log("info", fmt::format("Continues after iteration {} of {}.", m_resumed->iteration,
                                m_plan.iterations->iterations));
        run.resume(
            {m_resumed->file, m_resumed->vectorsAt, m_resumed->numbers, m_resumed->iteration},
            stop);
        m_resumed.reset();
    } else {
        m_about.invalid = run.start(stop);
    }
    m_stateNs = nowNs();
    showPreview(run);
}

void IterativeJob::iterate(IterativeRun& run, const std::stop_token& stop) {
    Due due = whatIsDue(run);
    while (run.report().stop == StopReason::none && !due.ends) {
        const std::int64_t beginNs = nowNs();
        const IterationReport report = run.step(stop);
        const IterationFigures figures = {report.iteration, report.residual, report.change,
                                          secondsSince(beginNs)};
        m_iterations.push_back(figures);
        if (m_isFirst) m_job.events.iteration(figures);
        m_about.iteration = report.iteration;
        due = whatIsDue(run);
        const bool goesOn = report.stop == StopReason::none;
        if (goesOn && due.isStateKept) keepState(run);
        if (goesOn && due.isPreviewShown) showPreview(run);
    }
    m_ending = endText(run.report(), due.ends);
}

// The first rank has the clock, and sees the job's folder as the operator does.
IterativeJob::Due IterativeJob::whatIsDue(IterativeRun& run) const {
    std::array<double, 3> due{};
    if (m_isFirst) {
        const bool isPreviewDue = secondsSince(m_previewNs) > kPreviewPauseSeconds &&
                                  isTime(m_previewNs, m_previewSeconds);
        const bool isStateDue = !m_keepsNoState && isTime(m_stateNs, m_stateSeconds);
        due = {isAskedToStop() ? 1.0 : 0.0, isStateDue ? 1.0 : 0.0, isPreviewDue ? 1.0 : 0.0};
    }
    run.add(due);
    return {due[0] > 0, due[1] > 0, due[2] > 0};
}

// Without a state, a killed job begins again: that is told, and costs no more.
void IterativeJob::keepState(IterativeRun& run) {
    const std::int64_t beginNs = nowNs();
    if (const std::string failure = writeIterationState(m_job.directory, m_about, run);
        !failure.empty()) {
        m_keepsNoState = true;
        log("warning",
            "The state of the iterations cannot be kept, so that an interrupted job would begin "
            "again: " +
                failure);
    }
    m_stateSeconds = secondsSince(beginNs);
    m_stateNs = nowNs();
}

void IterativeJob::showPreview(IterativeRun& run) {
    const std::int64_t beginNs = nowNs();
    const VolumeGrid& grid = m_job.spec.volume;
    VolumeSummary summary(grid);
    HostBuffer<float> slice(grid.voxels[0] * grid.voxels[1]);
    const Span3<float> voxels(slice.data(), 1, grid.voxels[1], grid.voxels[0]);
    for (Index z = 0; z < grid.voxels[2]; z += summary.previewStep()) {
        run.readTogether(z, voxels);
        if (m_isFirst) summary.add(z, voxels, m_plan.threads);
    }
    m_previewNs = nowNs();
    if (!m_isFirst) return;
    try {
        writePreview(m_job.directory, summary.previewGrid(), summary.preview());
        m_job.events.preview("preview.mha");
    } catch (const Error& error) {
        m_job.events.log("warning", "No preview is shown: " + error.message());
    }
    m_previewSeconds = secondsSince(beginNs);
    m_previewNs = nowNs();
}

bool IterativeJob::isAskedToStop() const {
    return pathExists(m_job.directory.file(kStopRequest));
}

}  // namespace gantry
