#include "gpu/engine/steps_layout.h"

#include <algorithm>

#include "gpu/engine/detector_images.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/gpu_corrections.h"

namespace gantry {

StepsLayout::StepsLayout(const ViewStepsJob& job)
    : views(job.stored->stored.views),
      columns(job.stored->stored.columns),
      viewPixels(job.maxReadRows * columns),
      pieceViews(std::clamp<Index>(kStepBytes / (viewPixels * kFloatBytes), 1,
                                   std::max<Index>(1, job.blockViews))),
      heldPixels((job.isHeld ? views : job.blockViews) * job.maxRows * columns) {
    if (!job.corrections.needsAllViews()) return;
    lanes = job.isHeld ? 1 : 2;
    const Index rowPixels = views * columns;
    const Index rowBytes = gpuAllViewsBytesOfRow(job) + (job.isHeld ? 0 : rowPixels * kFloatBytes);
    laneRows = std::clamp<Index>(kStepBytes / std::max<Index>(1, rowBytes), 1, job.maxRows);
    if (!job.isHeld) lanePixels = laneRows * rowPixels;
}

Index StepsLayout::bytes(const ViewStepsJob& job) const {
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
    bytes += gpuCorrectionBytes(job, pieceViews);
    return bytes + lanes * (laneRows * gpuAllViewsBytesOfRow(job) + lanePixels * kFloatBytes);
}

}  // namespace gantry
