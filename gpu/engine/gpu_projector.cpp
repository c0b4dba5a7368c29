#include "gpu/engine/gpu_projector.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/column_copies.h"
#include "gpu/engine/device_rays.h"

namespace gantry {

namespace {

constexpr Index kBatchBytes = 256'000'000;  // of rays that a device has at a time

class GpuProjector final : public Projector {
  public:
    GpuProjector(const DeviceInfo& device, ProjectedViews views, bool tiled)
        : m_device(device.number), m_rays(device, std::move(views), tiled) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        makeCurrent(m_device);
        m_slices = slices;
        const VolumeGrid slab = grid.slab(slices);
        for (std::size_t i = 0; i < 3; ++i)
            m_slab.n[i] = static_cast<int>(slab.voxels[i]);
        m_slab.pitchZ = static_cast<int>(gpu::pitchOf(m_slab.n[2]));
        m_voxels.reserve(slabFloats());
        m_slab.voxels = m_voxels.data();
        check(
            cudaMemsetAsync(m_voxels.data(), 0,
                            static_cast<std::size_t>(slabFloats()) * sizeof(float), m_stream.get()),
            "zeroing a slab");
        m_rays.place(slab, m_stream.get());
        m_stream.synchronize();
    }

    void set(IndexRange slices, Span3<const float> voxels) override {
        makeCurrent(m_device);
        m_copies.toSlab(voxels.data(), inSlab(slices), m_slab);
    }

    void read(IndexRange slices, Span3<float> out) override {
        makeCurrent(m_device);
        m_copies.toHost(m_slab, inSlab(slices), out.data());
    }

    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        forEachBatch(views, out, stop, [&](IndexRange batch, Span3<float> part) {
            const gpu::RayRows rows = m_rays.rows(batch, m_rows.data());
            // What is there already is added to.
            m_copies.toRays(part.data(), rows);
            m_rays.project(m_slab, rows, m_stream.get());
            m_copies.toHost(rows, part.data());
        });
    }

    void adjoint(IndexRange views, Span3<const float> all, const std::stop_token& stop) override {
        forEachBatch(views, all, stop, [&](IndexRange batch, Span3<const float> part) {
            const gpu::RayRows rows = m_rays.rows(batch, m_rows.data());
            m_copies.toRays(part.data(), rows);
            m_rays.adjoint(rows, m_slab, m_stream.get());
            m_stream.synchronize();
        });
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        const ProjectedViews& views = m_rays.views();
        const auto count = static_cast<Index>(views.poses.size());
        const Index slab = grid.voxels[0] * grid.voxels[1] * gpu::pitchOf(slices);
        return (slab + batchViews() * m_rays.viewFloats()) * Index{sizeof(float)} +
               ColumnCopies::bytesNeeded(grid.voxels[0] * grid.voxels[1],
                                         views.columns * views.rows) +
               DeviceRays::bytesNeeded(count, views.columns, views.rows);
    }

  private:
    [[nodiscard]] Index slabFloats() const {
        return Index{m_slab.n[0]} * m_slab.n[1] * m_slab.pitchZ;
    }
    // Slices of the slab, counted from its first.
    [[nodiscard]] IndexRange inSlab(IndexRange slices) const {
        return {slices.begin - m_slices.begin, slices.end - m_slices.begin};
    }
    // Enough for all of a device.
    [[nodiscard]] Index batchViews() const {
        const Index bytes = m_rays.viewFloats() * Index{sizeof(float)};
        const Index views = std::max<Index>(gpu::kMaxSpreadFans, kBatchBytes / bytes);
        return std::min(views, static_cast<Index>(m_rays.views().poses.size()));
    }

    template <class T, class Work>
    void forEachBatch(IndexRange views, Span3<T> all, const std::stop_token& stop,
                      const Work& work) {
        require(all.size(0) == views.size() && all.size(1) == m_rays.views().rows &&
                    all.size(2) == m_rays.views().columns,
                "views of another size than the projector's");
        makeCurrent(m_device);
        m_rows.reserve(batchViews() * m_rays.viewFloats());
        for (Index s = 0; s < views.size(); s += batchViews()) {
            if (stop.stop_requested()) throw Cancelled();
            const IndexRange batch = {s, std::min(s + batchViews(), views.size())};
            work({views.begin + batch.begin, views.begin + batch.end}, all.slices(batch));
        }
    }

    int m_device;
    DeviceRays m_rays;
    Stream m_stream;
    ColumnCopies m_copies{m_stream.get()};
    IndexRange m_slices;
    gpu::RaySlab m_slab;
    DeviceBuffer<float> m_voxels;
    DeviceBuffer<float> m_rows;  // of a batch, [s][u][v]
};

}  // namespace

std::unique_ptr<Projector> makeGpuProjector(const DeviceInfo& device, ProjectedViews views,
                                            bool tiled) {
    return std::make_unique<GpuProjector>(device, std::move(views), tiled);
}

}  // namespace gantry
