#include <gantry/centre.h>

#include "core/align/find_alignment.h"
#include "core/base/parallel.h"
#include "core/engine/backends.h"

namespace gantry {

namespace {

CentreFinder finderOf(CentreMethod method) {
    switch (method) {
        case CentreMethod::automatic:
            return CentreFinder::automatic;
        case CentreMethod::rays:
            return CentreFinder::rays;
        case CentreMethod::pairs:
            return CentreFinder::pairs;
        case CentreMethod::slices:
            return CentreFinder::slices;
    }
    return CentreFinder::automatic;
}

FoundNumber numberOf(const Finding& finding) {
    return {finding.isFound, finding.value, finding.uncertainty, finding.reason};
}

std::unique_ptr<PlanePreview> previewOn(const Backends& backends) {
    const std::vector<DeviceFacts>& gpus = backends.gpu.info.devices;
    return gpus.empty() ? backends.cpu.makePreview(0)
                        : backends.gpu.makePreview(gpus.front().number);
}

}  // namespace

FoundCentre findCentre(const Scan& scan, const Engines& engines, const CentreRequest& request) {
    AlignmentOptions options;
    options.centreFinder = finderOf(request.method);
    options.centreRangePx = request.rangePx;
    options.findRoll = request.rollAndTilt;
    options.threads = request.threads > 0 ? request.threads : availableThreads();
    options.onProgress = request.progress;
    options.stop = request.stop;
    const auto preview = previewOn(engines.backends());
    const Alignment found = findAlignment(scan.behind(), *preview, options);
    return {numberOf(found.centre), numberOf(found.roll), numberOf(found.tilt), found.centreColumn,
            withAlignment(scan.geometry(), found)};
}

}  // namespace gantry
