#include "gpu/engine/steps_layout.h"

#include <algorithm>
#include <cmath>

#include "core/base/fft_length.h"
#include "gpu/engine/cufft_library.h"
#include "gpu/engine/detector_images.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/gpu_rings.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = Index{64} << 20;  // of views, or of sinograms, that are worked on

// The whole mirror image of a view, as the CPU's cosine transforms have it. Less would not do for a
// filter that forgets quickly: where it ends at the highest frequency it rings on for long.
gpu::PhaseImages phaseImages(const ViewStepsJob& job) {
    if (!job.corrections.hasPhase()) return {};
    const double factor = phaseFactorMm2(job.phase.spec);
    const SourceInfo& stored = job.stored->stored;
    const auto ofFrequency = [&](int n, double pitchMm) {
        return factor / std::pow(static_cast<double>(n) * pitchMm, 2);
    };
    gpu::PhaseImages images;
    images.rows = static_cast<int>(2 * fftLength(stored.rows));
    images.columns = static_cast<int>(2 * fftLength(stored.columns));
    images.factorU = ofFrequency(images.columns, job.phase.pitchMm[0]);
    images.factorV = ofFrequency(images.rows, job.phase.pitchMm[1]);
    return images;
}

}  // namespace

StepsLayout::StepsLayout(const ViewStepsJob& job)
    : views(job.stored->stored.views),
      columns(job.stored->stored.columns),
      viewPixels(job.maxReadRows * columns),
      pieceViews(std::clamp<Index>(kPieceBytes / (viewPixels * kFloatBytes), 1,
                                   std::max<Index>(1, job.blockViews))),
      phase(phaseImages(job)),
      heldPixels((job.isHeld ? views : job.blockViews) * job.maxRows * columns) {
    if (job.corrections.hasPhase()) {
        imagePoints = Index{phase.rows} * phase.columns;
        spectrumPoints = Index{phase.rows} * phase.frequencies();
        images = std::clamp<Index>(kPieceBytes / (2 * imagePoints * kFloatBytes), 1, pieceViews);
    }
    if (!job.corrections.hasRings()) return;
    ringLanes = job.isHeld ? 1 : 2;
    const Index rowPixels = views * columns;
    const Index rowBytes = GpuRings::bytesOfRow(job.corrections.rings, views, columns) +
                           (job.isHeld ? 0 : rowPixels * kFloatBytes);
    ringRows = std::clamp<Index>(kPieceBytes / rowBytes, 1, job.maxRows);
    if (!job.isHeld) lanePixels = ringRows * rowPixels;
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
    if (images > 0)
        bytes += images * (imagePoints + 2 * spectrumPoints + 1) * kFloatBytes +
                 ImageTransforms::bytesNeeded(phase.rows, phase.columns, images);
    return bytes +
           ringLanes * (ringRows * GpuRings::bytesOfRow(job.corrections.rings, views, columns) +
                        lanePixels * kFloatBytes);
}

}  // namespace gantry
