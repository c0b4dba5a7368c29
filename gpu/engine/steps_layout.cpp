#include "gpu/engine/steps_layout.h"

#include <algorithm>

#include "gpu/engine/detector_images.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/gpu_corrections.h"
#include "gpu/engine/gpu_rings.h"

namespace gantry {

StepsLayout::StepsLayout(const ViewStepsJob& job)
    : views(job.stored->stored.views),
      columns(job.stored->stored.columns),
      viewPixels(job.maxReadRows * columns),
      pieceViews(std::clamp<Index>(kStepBytes / (viewPixels * kFloatBytes), 1,
                                   std::max<Index>(1, job.blockViews))),
      heldPixels((job.isHeld ? views : job.blockViews) * job.maxRows * columns) {
    if (!job.corrections.hasRings()) return;
    ringLanes = job.isHeld ? 1 : 2;
    const Index rowPixels = views * columns;
    const Index rowBytes = GpuRings::bytesOfRow(job.corrections.rings, views, columns) +
                           (job.isHeld ? 0 : rowPixels * kFloatBytes);
    ringRows = std::clamp<Index>(kStepBytes / rowBytes, 1, job.maxRows);
    if (!job.isHeld) lanePixels = ringRows * rowPixels;
}

std::optional<Index> StepsLayout::bytes(const ViewStepsJob& job) const {
    const std::optional<Index> corrections = gpuCorrectionBytes(job, pieceViews);
    if (!corrections) return std::nullopt;
    const Acquisition& stored = *job.stored;
    Index bytes = (heldPixels + 2 * pieceViews * viewPixels) * kFloatBytes;
    // Upright rows are made in blocks of about as many as they come from.
    if (!stored.rectifier.isIdentity())
        bytes += pieceViews * stored.stored.rows * columns * kFloatBytes;
    if (!job.areIntegrals)
        bytes += pieceViews * viewPixels * sizeBytes(stored.stored.pixelType) +
                 DetectorImages::bytesNeeded(stored, preparationOf(stored));
    bytes += job.countSets * views * gpu::kViewCounters * Index{sizeof(unsigned)} +
             stored.stored.rows * Index{sizeof(std::int16_t)};
    bytes += *corrections;
    return bytes +
           ringLanes * (ringRows * GpuRings::bytesOfRow(job.corrections.rings, views, columns) +
                        lanePixels * kFloatBytes);
}

}  // namespace gantry
