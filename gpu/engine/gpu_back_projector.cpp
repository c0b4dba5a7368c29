#include "gpu/engine/gpu_back_projector.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/engine/device_slab.h"
#include "gpu/engine/upload_staging.h"

namespace gantry {

namespace {

class GpuBackProjector final : public BackProjector {
  public:
    GpuBackProjector(const DeviceInfo& device, std::unique_ptr<ConeKernel> kernel)
        : m_device(device.number), m_kernel(std::move(kernel)) {}

    ~GpuBackProjector() override {
        // Nothing may be freed that the device still reads.
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(m_staging.stream().get());
        (void)cudaStreamSynchronize(m_stream.get());
        forgetError();
    }
    GpuBackProjector(const GpuBackProjector&) = delete;
    GpuBackProjector& operator=(const GpuBackProjector&) = delete;

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        makeCurrent(m_device);
        m_slab.begin(grid, slices, m_kernel->isZFastest(), m_stream.get());
    }

    void add(const FilteredBatch& batch, const std::stop_token& stop) override {
        makeCurrent(m_device);
        if (batch.views.count() == 0) return;
        const Index nV = batch.views.size(1);
        const Index nU = batch.views.size(2);
        reserve(std::min<Index>(batch.views.size(0), gpu::kMostViews), nV, nU);
        const UploadGuard guard(m_staging);
        for (Index first = 0; first < batch.views.size(0); first += gpu::kMostViews) {
            if (stop.stop_requested()) throw Cancelled();
            const Index count = std::min<Index>(batch.views.size(0) - first, gpu::kMostViews);
            const Index bytes = nV * nU * kFloatBytes;
            m_staging.swap();
            m_staging.copy({reinterpret_cast<const std::byte*>(batch.views.row(first, 0)), count,
                            bytes, bytes});
            m_staging.handTo(m_stream);
            const auto* views = reinterpret_cast<const float*>(m_staging.data());
            addViews(*m_kernel, m_slab,
                     gpu::plainViews(views, static_cast<int>(count), static_cast<int>(nV),
                                     static_cast<int>(nU)),
                     batch.matrices.subspan(static_cast<std::size_t>(first),
                                            static_cast<std::size_t>(count)),
                     batch.firstRow, m_stream.get());
            m_staging.release(m_stream);
        }
        m_staging.synchronize();
    }

    void read(IndexRange slices, Span3<float> out) override {
        makeCurrent(m_device);
        const Index atOnce = DeviceSlab::slicesAtOnce(m_slab.grid(), slices.size());
        for (Index z = slices.begin; z < slices.end; z += atOnce) {
            const IndexRange some = {z, std::min(z + atOnce, slices.end)};
            m_slab.read(some, out.slices({z - slices.begin, some.end - slices.begin}), m_transposed,
                        m_stream.get());
        }
        m_stream.synchronize();
    }

    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices, Index nS, Index nV,
                                    Index nU) const override {
        const Index atOnce = std::min<Index>(nS, gpu::kMostViews);
        return DeviceSlab::bytesNeeded(grid, slices) +
               DeviceSlab::transposeBytes(grid, slices, m_kernel->isZFastest()) +
               m_kernel->viewBytes(atOnce, nV, nU) + 2 * atOnce * nV * nU * kFloatBytes;
    }

  private:
    // Room grows to the largest batch there was, on each axis, and stays.
    void reserve(Index nS, Index nV, Index nU) {
        if (nS <= m_nS && nV <= m_nV && nU <= m_nU) return;
        m_nS = std::max(m_nS, nS);
        m_nV = std::max(m_nV, nV);
        m_nU = std::max(m_nU, nU);
        m_stream.synchronize();
        m_staging.reserve(m_nS * m_nV * m_nU * kFloatBytes);
        m_kernel->reserve(m_nS, m_nV, m_nU);
    }

    int m_device;
    std::unique_ptr<ConeKernel> m_kernel;
    Stream m_stream;
    UploadStaging m_staging;
    DeviceSlab m_slab;
    DeviceBuffer<float> m_transposed;
    Index m_nS = 0;
    Index m_nV = 0;
    Index m_nU = 0;
};

}  // namespace

std::unique_ptr<BackProjector> makeGpuBackProjector(const DeviceInfo& device,
                                                    std::unique_ptr<ConeKernel> kernel) {
    makeCurrent(device.number);
    return std::make_unique<GpuBackProjector>(device, std::move(kernel));
}

}  // namespace gantry
