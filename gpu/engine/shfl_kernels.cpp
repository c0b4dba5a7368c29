#include "gpu/engine/shfl_kernels.h"

#include <optional>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/view_texture.h"
#include "gpu/kernels/aligned_batch.h"
#include "gpu/kernels/general_kernels.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

namespace {

// What all forms share; they differ in where their views are.
class ShflKernel : public ConeKernel {
  public:
    explicit ShflKernel(bool transposed) : m_transposed(transposed) {}

    [[nodiscard]] bool isZFastest() const final { return true; }

    void repack(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                const gpu::ConeSlab& slab, cudaStream_t stream) final {
        require(gpu::isAligned(batch),
                "shflBP takes aligned detectors only, whose rows rise with z");
        m_mirrorSum = gpu::mirrorSum(batch, slab);
        repackViews(views, stream);
        checkLaunch("repacking views for shflBP");
    }

    void add(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab, cudaStream_t stream) final {
        addViews(batch, slab, stream);
        checkLaunch("adding views by shflBP");
    }

  protected:
    virtual void repackViews(const gpu::FilteredViews& views, cudaStream_t stream) = 0;
    virtual void addViews(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                          cudaStream_t stream) = 0;

    [[nodiscard]] bool isTransposed() const { return m_transposed; }
    [[nodiscard]] std::optional<int> mirrorSum() const { return m_mirrorSum; }

  private:
    bool m_transposed;
    std::optional<int> m_mirrorSum;  // of the batch repacked last
};

class ShflTextureKernel final : public ShflKernel {
  public:
    using ShflKernel::ShflKernel;

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return isTransposed() ? ViewTexture::bytes(nS, nU, nV, 1)
                              : ViewTexture::bytes(nS, nV, nU, 1);
    }

    void reserve(Index nS, Index nV, Index nU) override {
        const auto nearest = LayeredTexture::Read::nearest;
        if (isTransposed())
            m_views.reserve(nS, nU, nV, 1, nearest);
        else
            m_views.reserve(nS, nV, nU, 1, nearest);
    }

  private:
    void repackViews(const gpu::FilteredViews& views, cudaStream_t stream) override {
        m_columns = views.nU;
        if (isTransposed())
            gpu::repackTransposed(views, m_views.surface(), stream);
        else
            gpu::repackToSurface(views, m_views.surface(), stream);
    }

    void addViews(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                  cudaStream_t stream) override {
        gpu::addShflTexture(batch, slab, mirrorSum(), m_views.texture(), m_columns, isTransposed(),
                            stream);
    }

    ViewTexture m_views;
    int m_columns = 0;
};

class ShflMemoryKernel final : public ShflKernel {
  public:
    using ShflKernel::ShflKernel;

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return floats(nS, nV, nU) * static_cast<Index>(sizeof(float));
    }

    void reserve(Index nS, Index nV, Index nU) override { m_views.reserve(floats(nS, nV, nU)); }

  private:
    static Index floats(Index nS, Index nV, Index nU) {
        return nS *
               gpu::BorderedViews{nullptr, static_cast<int>(nV), static_cast<int>(nU)}.viewStride();
    }

    void repackViews(const gpu::FilteredViews& views, cudaStream_t stream) override {
        m_bordered = {m_views.data(), views.nV, views.nU};
        gpu::repackBordered(views, m_bordered, isTransposed(), stream);
    }

    void addViews(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                  cudaStream_t stream) override {
        gpu::addShflMemory(batch, slab, mirrorSum(), m_bordered, isTransposed(), stream);
    }

    DeviceBuffer<float> m_views;
    gpu::BorderedViews m_bordered;
};

}  // namespace

std::unique_ptr<ConeKernel> makeShflKernel(bool throughTexture, bool transposed) {
    if (throughTexture) return std::make_unique<ShflTextureKernel>(transposed);
    return std::make_unique<ShflMemoryKernel>(transposed);
}

}  // namespace gantry
