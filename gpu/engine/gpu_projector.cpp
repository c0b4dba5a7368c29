#include "gpu/engine/gpu_projector.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

// Enough for all of a device.
Index viewsAtOnce(const ProjectedViews& views) {
    const Index bytes = DeviceRays::viewFloats(views) * Index{sizeof(float)};
    return std::min(std::max<Index>(gpu::kMaxSpreadFans, kBatchBytes / bytes),
                    static_cast<Index>(views.poses.size()));
}

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

    // The device adds up one batch while the one before is copied.
    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        Batch before;
        const auto copyBack = [&] {
            if (before.rows.nS == 0) return;
            m_copyStream.wait(*before.done);
            m_copies.addToHost(before.rows, out.row(before.first, 0));
        };
        forEachBatch(views, out, stop, [&](const Batch& batch) {
            check(cudaMemsetAsync(batch.rows.values, 0, batchBytes(batch), m_stream.get()),
                  "zeroing rays");
            m_rays.project(m_slab, batch.rows, m_stream.get());
            batch.done->record(m_stream.get());
            copyBack();
            before = batch;
        });
        copyBack();
    }

    // A batch is copied while the device spreads the one before.
    void adjoint(IndexRange views, Span3<const float> all, const std::stop_token& stop) override {
        forEachBatch(views, all, stop, [&](const Batch& batch) {
            m_copyStream.wait(*batch.done);  // with the rays that lie there
            m_copies.toRays(all.row(batch.first, 0), batch.rows);
            m_rays.adjoint(batch.rows, m_slab, m_stream.get());
            batch.done->record(m_stream.get());
        });
        m_stream.synchronize();
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        return gpuProjectorBytes(m_rays.views(), grid, slices);
    }

  private:
    [[nodiscard]] Index slabFloats() const {
        return Index{m_slab.n[0]} * m_slab.n[1] * m_slab.pitchZ;
    }
    // Slices of the slab, counted from its first.
    [[nodiscard]] IndexRange inSlab(IndexRange slices) const {
        return {slices.begin - m_slices.begin, slices.end - m_slices.begin};
    }
    [[nodiscard]] Index batchViews() const { return viewsAtOnce(m_rays.views()); }

    // Rays in one of two buffers.
    struct Batch {
        Index first = 0;  // of the views of the call
        gpu::RayRows rows;
        Event* done = nullptr;  // what was enqueued for these rays
    };
    [[nodiscard]] std::size_t batchBytes(const Batch& batch) const {
        return static_cast<std::size_t>(batch.rows.nS * m_rays.viewFloats()) * sizeof(float);
    }

    template <class T, class Work>
    void forEachBatch(IndexRange views, Span3<T> all, const std::stop_token& stop,
                      const Work& work) {
        require(all.size(0) == views.size() && all.size(1) == m_rays.views().rows &&
                    all.size(2) == m_rays.views().columns,
                "views of another size than the projector's");
        makeCurrent(m_device);
        std::size_t place = 0;
        for (Index s = 0; s < views.size(); s += batchViews(), place = 1 - place) {
            if (stop.stop_requested()) throw Cancelled();
            const IndexRange some = {views.begin + s,
                                     views.begin + std::min(s + batchViews(), views.size())};
            m_rows[place].reserve(batchViews() * m_rays.viewFloats());
            work(Batch{s, m_rays.rows(some, m_rows[place].data()), &m_done[place]});
        }
    }

    int m_device;
    DeviceRays m_rays;
    Stream m_stream;
    Stream m_copyStream;
    ColumnCopies m_copies{m_copyStream.get()};
    IndexRange m_slices;
    gpu::RaySlab m_slab;
    DeviceBuffer<float> m_voxels;
    std::array<DeviceBuffer<float>, 2> m_rows;  // of a batch each, [s][u][v]
    std::array<Event, 2> m_done;
};

}  // namespace

std::unique_ptr<Projector> makeGpuProjector(const DeviceInfo& device, ProjectedViews views,
                                            bool tiled) {
    return std::make_unique<GpuProjector>(device, std::move(views), tiled);
}

Index gpuProjectorBytes(const ProjectedViews& views, const VolumeGrid& grid, Index slices) {
    const auto count = static_cast<Index>(views.poses.size());
    const Index slab = grid.voxels[0] * grid.voxels[1] * gpu::pitchOf(slices);
    return (slab + 2 * viewsAtOnce(views) * DeviceRays::viewFloats(views)) * Index{sizeof(float)} +
           ColumnCopies::bytesNeeded(grid.voxels[0] * grid.voxels[1], views.columns * views.rows) +
           DeviceRays::bytesNeeded(count, views.columns, views.rows);
}

}  // namespace gantry
