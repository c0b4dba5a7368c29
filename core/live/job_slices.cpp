#include "core/live/job_slices.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/machine/measure.h"
#include "core/plan/filter_rows.h"
#include "core/scan/inspect/find_extension.h"
#include "core/scan/inspect/name_order.h"

namespace gantry {

namespace {

std::function<std::unique_ptr<PlanePreview>()> previewsAt(const LivePlace& place,
                                                          const Backends& backends) {
    if (!place.device) return [&backends] { return backends.cpu.makePreview(0); };
    const int device = place.device->number;
    const std::string advice = "Choose the CPU as the engine, and start again.";
    if (!backends.gpu.makePreview)
        throw ResourceError(
            fmt::format("GPU {} makes no live slices: {}", device, backends.whyNoGpu),
            {.advice = advice});
    if (const std::string why = backends.gpu.whyNoFilter(device); !why.empty())
        throw ResourceError(fmt::format("GPU {} makes no live slices: {}", device, why),
                            {.advice = advice});
    return [&backends, device] { return backends.gpu.makePreview(device); };
}

LiveOptions optionsOf(const LivePlace& place, const Backends& backends, int threads,
                      std::function<void(double)> onProgress) {
    return {threads, place, previewsAt(place, backends), std::move(onProgress)};
}

// Slices are shown of the views that there are.
OpenScan openedForSlices(const ScanFile& scan, const std::stop_token& stop) {
    throwOnError(contradictedByNames(scan), scan.path.string());
    return openScan(scan, stop, BadViews::list);
}

}  // namespace

JobSlices::JobSlices(const JobSpec& job, const LivePlace& place, const Backends& backends,
                     int threads, std::function<void(double)> onProgress,
                     const std::stop_token& stop)
    : JobSlices(openedForSlices(job.scan, stop), job,
                optionsOf(place, backends, threads, std::move(onProgress)), backends, stop) {}

JobSlices::JobSlices(const OpenScan& stored, const JobSpec& job, const LiveOptions& options,
                     const Backends& backends, const std::stop_token& stop)
    : m_machine(machineOf(backends)),
      m_isOnDevice(options.place.device.has_value()),
      m_slices(extendedAndCorrected(stored, job.corrections, options.threads, stop), options,
               stop) {}

void JobSlices::render(const JobSpec& job, const std::vector<Plane>& planes,
                       const std::function<void(const SliceStep&)>& onStep,
                       const std::stop_token& stop) {
    const FilterRows rows = m_isOnDevice ? FilterRows::upright : filterRowsOf(job, m_machine);
    m_slices.render({job.geometry(), job.filter, planes, rows}, onStep, stop);
}

}  // namespace gantry
