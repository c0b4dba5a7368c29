#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/device_slab.h"
#include "tests/core/backproject/back_projection.h"
#include "tests/gpu/support/device.h"

namespace gantry::test {

/// Views as a filter leaves them that transforms rows in pairs.
struct PairedViews {
    gpu::FilteredViews layout;
    std::vector<float> memory;  ///< gaps are far from any value
};

inline PairedViews pairedRows(const ScanGeometry& scan, const std::vector<float>& views) {
    const auto [nU, nV] = std::pair(scan.detector.columns, scan.detector.rows);
    const Index pairStride = 2 * nU + 6;
    const Index viewStride = (nV + 3) / 2 * pairStride;
    PairedViews paired;
    paired.layout = {nullptr,
                     static_cast<int>(scan.views()),
                     static_cast<int>(nV),
                     static_cast<int>(nU),
                     viewStride,
                     pairStride,
                     1,
                     2};
    paired.memory.assign(static_cast<std::size_t>(scan.views() * viewStride), 1e30F);
    for (Index s = 0; s < scan.views(); ++s)
        for (Index v = 0; v < nV; ++v)
            for (Index u = 0; u < nU; ++u) {
                const Index to = s * viewStride + v / 2 * pairStride + v % 2 + 2 * u;
                paired.memory[static_cast<std::size_t>(to)] =
                    views[static_cast<std::size_t>((s * nV + v) * nU + u)];
            }
    return paired;
}

/// Slabs that one kernel makes on the test device, which must be current, from views on the host.
class KernelSlab {
  public:
    /// With room for the views of that scan.
    KernelSlab(std::string_view kernel, const ScanGeometry& scan)
        : KernelSlab(makeConeKernel(kernel, testDevice()), scan) {}
    KernelSlab(std::unique_ptr<ConeKernel> kernel, const ScanGeometry& scan)
        : m_kernel(std::move(kernel)), m_adder(*m_kernel) {
        const Index views = scan.views();
        m_kernel->reserve(SlabAdder::roomFor(*m_kernel, views, views), scan.detector.rows,
                          scan.detector.columns);
    }

    void begin(const VolumeGrid& grid, const IndexRanges& slices) {
        m_slab.begin(grid, slices, m_kernel->isZFastest(), m_stream.get());
    }

    /// Adds views that lie in `memory` as `layout` says, an upper block behind the lower one.
    void add(gpu::FilteredViews layout, std::span<const float> memory,
             std::span<const ProjectionMatrix> matrices, Index firstRow) {
        m_views.reserve(static_cast<Index>(memory.size()));
        check(cudaMemcpyAsync(m_views.data(), memory.data(), memory.size_bytes(),
                              cudaMemcpyHostToDevice, m_stream.get()),
              "copying views");
        layout.data = m_views.data();
        if (layout.lowerRows > 0) layout.upper = layout.data + layout.nS * layout.viewStride;
        (void)m_adder.add(m_slab, layout, matrices, firstRow, m_stream.get());
        m_stream.synchronize();
    }

    /// Adds rows [rows.begin, rows.end) of the views, `batchViews` at a time.
    void add(const ScanGeometry& scan, const std::vector<float>& views, IndexRange rows,
             Index batchViews) {
        forEachBatch(scan, views, rows, batchViews, [&](const FilteredBatch& batch) {
            const Span3<const float>& some = batch.views;
            add(gpu::plainViews(nullptr, static_cast<int>(some.size(0)),
                                static_cast<int>(some.size(1)), static_cast<int>(some.size(2))),
                {some.data(), static_cast<std::size_t>(some.count())}, batch.matrices,
                batch.firstRow);
        });
    }

    /// Slices of the volume, within the slab; [z][y][x].
    [[nodiscard]] std::vector<float> read(IndexRange slices) {
        (void)m_adder.finish(m_slab, m_stream.get());
        const auto [nX, nY, nZ] = m_slab.grid().voxels;
        std::vector<float> voxels(static_cast<std::size_t>(slices.size() * nY * nX));
        m_slab.read(slices, {voxels.data(), slices.size(), nY, nX}, m_transposed, m_stream.get());
        m_stream.synchronize();
        return voxels;
    }

    /// Begins, adds all and reads.
    [[nodiscard]] std::vector<float> make(const ScanGeometry& scan, const VolumeGrid& grid,
                                          IndexRange slices, const std::vector<float>& views,
                                          Index batchViews = 32) {
        begin(grid, slices);
        add(scan, views, {0, scan.detector.rows}, batchViews);
        return read(slices);
    }

  private:
    Stream m_stream;
    std::unique_ptr<ConeKernel> m_kernel;
    SlabAdder m_adder;
    DeviceSlab m_slab;
    DeviceBuffer<float> m_views;
    DeviceBuffer<float> m_transposed;
};

}  // namespace gantry::test
