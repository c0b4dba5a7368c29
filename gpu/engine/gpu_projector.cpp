#include "gpu/engine/gpu_projector.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "gpu/engine/device_rays.h"
#include "gpu/kernels/transpose.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = 128'000'000;  // that are transposed at a time

// What is made next is made on this device.
const DeviceInfo& madeCurrent(const DeviceInfo& device) {
    makeCurrent(device.number);
    return device;
}

class GpuProjector final : public Projector {
  public:
    GpuProjector(const DeviceInfo& device, ProjectedViews views, bool tiled)
        : m_device(device.number), m_rays(madeCurrent(device), std::move(views), tiled) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        makeCurrent(m_device);
        m_slices = slices;
        const VolumeGrid slab = grid.slab(slices);
        for (std::size_t i = 0; i < 3; ++i)
            m_slab.n[i] = static_cast<int>(slab.voxels[i]);
        m_slab.pitchZ = (m_slab.n[2] + 3) / 4 * 4;
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
        forEachPiece(slices, voxels.size(1) * voxels.size(2), [&](IndexRange piece) {
            const Span3<const float> part =
                voxels.slices({piece.begin - slices.begin, piece.end - slices.begin});
            check(cudaMemcpyAsync(m_piece.data(), part.data(), bytesOf(part.count()),
                                  cudaMemcpyHostToDevice, m_stream.get()),
                  "copying voxels to the GPU");
            gpu::transpose(m_piece.data(), {columns(), 0}, piece.size(), columns(),
                           m_slab.voxels + piece.begin - m_slices.begin, {m_slab.pitchZ, 0}, 1,
                           false, m_stream.get());
            checkLaunch("transposing a slab");
        });
    }

    void read(IndexRange slices, Span3<float> out) override {
        makeCurrent(m_device);
        forEachPiece(slices, out.size(1) * out.size(2), [&](IndexRange piece) {
            gpu::transpose(m_slab.voxels + piece.begin - m_slices.begin, {m_slab.pitchZ, 0},
                           columns(), piece.size(), m_piece.data(), {columns(), 0}, 1, false,
                           m_stream.get());
            checkLaunch("transposing a slab");
            Span3<float> part = out.slices({piece.begin - slices.begin, piece.end - slices.begin});
            check(cudaMemcpyAsync(part.data(), m_piece.data(), bytesOf(part.count()),
                                  cudaMemcpyDeviceToHost, m_stream.get()),
                  "copying voxels to the host");
        });
    }

    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        forEachBatch(views, out, stop, [&](IndexRange batch, Span3<float> part) {
            const gpu::RayRows rows = m_rays.rows(batch, m_rows.data());
            check(cudaMemsetAsync(rows.values, 0, bytesOf(batch.size() * m_rays.viewFloats()),
                                  m_stream.get()),
                  "zeroing rays");
            m_rays.project(m_slab, rows, m_stream.get());
            // What is there already is added to.
            check(cudaMemcpyAsync(m_piece.data(), part.data(), bytesOf(part.count()),
                                  cudaMemcpyHostToDevice, m_stream.get()),
                  "copying views to the GPU");
            gpu::transpose(rows.values, {rows.pitchV, m_rays.viewFloats()}, rows.nU, rows.nV,
                           m_piece.data(), {rows.nU, Index{rows.nU} * rows.nV}, rows.nS, true,
                           m_stream.get());
            checkLaunch("transposing views");
            check(cudaMemcpyAsync(part.data(), m_piece.data(), bytesOf(part.count()),
                                  cudaMemcpyDeviceToHost, m_stream.get()),
                  "copying views to the host");
            m_stream.synchronize();
        });
    }

    void adjoint(IndexRange views, Span3<const float> all, const std::stop_token& stop) override {
        forEachBatch(views, all, stop, [&](IndexRange batch, Span3<const float> part) {
            const gpu::RayRows rows = m_rays.rows(batch, m_rows.data());
            check(cudaMemcpyAsync(m_piece.data(), part.data(), bytesOf(part.count()),
                                  cudaMemcpyHostToDevice, m_stream.get()),
                  "copying views to the GPU");
            gpu::transpose(m_piece.data(), {rows.nU, Index{rows.nU} * rows.nV}, rows.nV, rows.nU,
                           rows.values, {rows.pitchV, m_rays.viewFloats()}, rows.nS, false,
                           m_stream.get());
            checkLaunch("transposing views");
            m_rays.adjoint(rows, m_slab, m_stream.get());
            m_stream.synchronize();
        });
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        const ProjectedViews& views = m_rays.views();
        const auto count = static_cast<Index>(views.poses.size());
        const Index slab = grid.voxels[0] * grid.voxels[1] * ((slices + 3) / 4 * 4);
        const Index batch = batchViews() * m_rays.viewFloats();
        const Index piece = std::max(
            batch, piecesSlices(grid.voxels[0] * grid.voxels[1]) * grid.voxels[0] * grid.voxels[1]);
        return (slab + batch + piece) * Index{sizeof(float)} +
               DeviceRays::bytesNeeded(count, views.columns, views.rows);
    }

  private:
    static std::size_t bytesOf(Index count) {
        return static_cast<std::size_t>(count) * sizeof(float);
    }
    [[nodiscard]] Index columns() const { return Index{m_slab.n[0]} * m_slab.n[1]; }
    [[nodiscard]] Index slabFloats() const { return columns() * m_slab.pitchZ; }
    [[nodiscard]] static Index piecesSlices(Index sliceVoxels) {
        return std::max<Index>(1, kPieceBytes / (sliceVoxels * Index{sizeof(float)}));
    }
    // Enough for all of a device.
    [[nodiscard]] Index batchViews() const {
        const Index bytes = m_rays.viewFloats() * Index{sizeof(float)};
        const Index views = std::max<Index>(gpu::kMaxSpreadFans, 2 * kPieceBytes / bytes);
        return std::min(views, static_cast<Index>(m_rays.views().poses.size()));
    }

    template <class Work>
    void forEachPiece(IndexRange slices, Index sliceVoxels, const Work& work) {
        const Index atOnce = piecesSlices(sliceVoxels);
        m_piece.reserve(std::min(atOnce, slices.size()) * sliceVoxels);
        for (Index z = slices.begin; z < slices.end; z += atOnce)
            work(IndexRange{z, std::min(z + atOnce, slices.end)});
        m_stream.synchronize();
    }

    template <class T, class Work>
    void forEachBatch(IndexRange views, Span3<T> all, const std::stop_token& stop,
                      const Work& work) {
        require(all.size(0) == views.size() && all.size(1) == m_rays.views().rows &&
                    all.size(2) == m_rays.views().columns,
                "views of another size than the projector's");
        makeCurrent(m_device);
        m_rows.reserve(batchViews() * m_rays.viewFloats());
        m_piece.reserve(batchViews() * m_rays.viewFloats());
        for (Index s = 0; s < views.size(); s += batchViews()) {
            if (stop.stop_requested()) throw Cancelled();
            const IndexRange batch = {s, std::min(s + batchViews(), views.size())};
            work({views.begin + batch.begin, views.begin + batch.end}, all.slices(batch));
        }
    }

    int m_device;
    DeviceRays m_rays;
    Stream m_stream;
    IndexRange m_slices;
    gpu::RaySlab m_slab;
    DeviceBuffer<float> m_voxels;
    DeviceBuffer<float> m_rows;   // of a batch, [s][u][v]
    DeviceBuffer<float> m_piece;  // some slices or views as the host has them
};

}  // namespace

std::unique_ptr<Projector> makeGpuProjector(const DeviceInfo& device, ProjectedViews views,
                                            bool tiled) {
    return std::make_unique<GpuProjector>(device, std::move(views), tiled);
}

}  // namespace gantry
