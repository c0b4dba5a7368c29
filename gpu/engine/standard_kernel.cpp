#include "gpu/device/cuda_check.h"
#include "gpu/engine/shfl_kernels.h"
#include "gpu/engine/view_texture.h"
#include "gpu/kernels/general_kernels.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

namespace {

class StandardKernel final : public ConeKernel {
  public:
    [[nodiscard]] bool isZFastest() const override { return false; }

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return ViewTexture::bytes(nS, nV, nU, 1);
    }

    void reserve(Index nS, Index nV, Index nU) override {
        m_views.reserve(nS, nV, nU, 1, LayeredTexture::Read::nearest);
    }

    void repack(const gpu::FilteredViews& views, const gpu::ConeBatch& /*batch*/,
                const gpu::ConeSlab& /*slab*/, cudaStream_t stream) override {
        gpu::repackToSurface(views, m_views.surface(), stream);
        checkLaunch("repacking views for standard");
    }

    void add(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab, cudaStream_t stream) override {
        gpu::addStandard(batch, slab, m_views.texture(), stream);
        checkLaunch("adding views by standard");
    }

  private:
    ViewTexture m_views;
};

}  // namespace

std::unique_ptr<ConeKernel> makeStandardKernel() {
    return std::make_unique<StandardKernel>();
}

}  // namespace gantry
