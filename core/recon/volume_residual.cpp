#include "core/recon/volume_residual.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/io/volume/attenuation_slices.h"
#include "core/project/cpu_projector.h"
#include "core/recon/iterative_run.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

constexpr Index kImagesAtOnce = 2;  // the measured one and the projected one

}  // namespace

VolumeResidual::VolumeResidual(std::shared_ptr<const OpenScan> scan,
                               const std::filesystem::path& volume, int threads, Index memoryBytes)
    : m_scan(std::move(scan)), m_volume(openStoredVolume(volume)), m_threads(threads) {
    const ProjectedViews views = usedViews(*m_scan);
    m_projector = makeCpuProjector(views, threads);
    m_plan = planProjection(*m_projector, views, m_volume.grid, kImagesAtOnce, memoryBytes);
}

ViewResidual VolumeResidual::of(Index view, const std::stop_token& stop) {
    const SourceInfo& info = m_scan->source->info();
    ViewResidual result;
    result.image = {info.rows, info.columns, HostBuffer<float>(info.rows * info.columns)};
    HostBuffer<float>& pixels = result.image.pixels;
    std::fill_n(pixels.data(), pixels.count(), 0.0F);
    const Span3<float> projected(pixels.data(), 1, info.rows, info.columns);
    const Index slices = m_volume.grid.voxels[2];
    for (Index z = 0; z < slices; z += m_plan.slabSlices) {
        const IndexRange slab = {z, std::min(z + m_plan.slabSlices, slices)};
        if (slab != m_loaded) load(slab, stop);
        m_projector->project({view, view + 1}, projected, stop);
    }
    const Index chosen[] = {view};
    double measuredSquares = 0;
    double residualSquares = 0;
    visitViews(
        *m_scan, chosen, {0, info.rows}, m_threads,
        [&](std::size_t, Span3<const float> measured) {
            for (Index i = 0; i < pixels.count(); ++i) {
                const double value = measured.data()[i];
                const double residual = value - pixels[i];
                measuredSquares += value * value;
                residualSquares += residual * residual;
                pixels[i] = static_cast<float>(residual);
            }
        },
        [](double) {}, stop);
    const auto count = static_cast<double>(std::max<Index>(1, pixels.count()));
    result.measuredRms = std::sqrt(measuredSquares / count);
    result.residualRms = std::sqrt(residualSquares / count);
    return result;
}

void VolumeResidual::load(IndexRange slab, const std::stop_token& stop) {
    m_loaded = {};  // where reading is cancelled, nothing is
    m_projector->begin(m_volume.grid, slab);
    readAttenuation(
        m_volume, slab, kReadSlices, stop,
        [&](IndexRange some, Span3<const float> voxels) { m_projector->set(some, voxels); });
    m_loaded = slab;
}

}  // namespace gantry
