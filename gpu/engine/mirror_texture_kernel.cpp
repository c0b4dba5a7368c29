#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/engine/shfl_kernels.h"
#include "gpu/engine/view_texture.h"
#include "gpu/kernels/aligned_batch.h"
#include "gpu/kernels/mirror_texture.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

namespace {

constexpr int kMirroredChannels = 2;

class MirrorTextureKernel final : public ConeKernel {
  public:
    [[nodiscard]] bool isZFastest() const override { return false; }
    [[nodiscard]] bool takesPair(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                                 const gpu::ConeSlab& slab) const override {
        const std::optional<int> sum = gpu::mirrorSum(batch, slab);
        if (!sum) return false;
        const gpu::MirrorRows rows = gpu::mirrorRowsOfPair(*sum, views);
        return rows.end - rows.begin <= mirroredRows(m_nV);
    }

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return std::max(ViewTexture::bytes(nS, mirroredRows(nV), nU, kMirroredChannels),
                        ViewTexture::bytes(nS, nV, nU, 1));
    }

    void reserve(Index nS, Index nV, Index nU) override {
        m_nS = nS;
        m_nV = nV;
        m_nU = nU;
        makeTexture(true, nullptr);
    }

    // Reading and writing the slab for every 32 views would take 2 to 3 % more.
    [[nodiscard]] Index preferredViews() const override { return gpu::kMaxMirrorViews; }
    [[nodiscard]] Index viewsAtOnce(const gpu::ConeSlab& /*slab*/) const override {
        return std::max<Index>(m_nS, gpu::kMaxViews);
    }
    [[nodiscard]] bool takesMore(const gpu::ConeBatch& batch,
                                 const gpu::ConeSlab& slab) const override {
        return gpu::mirrorSum(batch, slab) == m_mirrorSum;
    }

    void repack(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                const gpu::ConeSlab& slab, cudaStream_t stream) override {
        m_mirrorSum = gpu::mirrorSum(batch, slab);
        m_batches.clear();
        repackMore(views, batch, slab, stream);
    }

    void repackMore(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                    const gpu::ConeSlab& slab, cudaStream_t stream) override {
        require(gpu::isAligned(batch),
                "mirror-texture takes aligned detectors only, whose rows rise with z");
        const std::optional<int> sum = m_mirrorSum;
        gpu::MirrorRows rows = gpu::mirrorRows(sum.value_or(0), views.nV);
        const auto max = static_cast<int>(mirroredRows(m_nV));
        // Rows between a pair's two ranges are all 0, as is everything beyond the texture.
        if (slab.gap > 0) rows.end = std::min(rows.end, rows.begin + max);
        const bool mirrored = sum && rows.end - rows.begin <= max;
        require(mirrored || slab.gap == 0, "a pair of slabs is not its own mirror image");
        const int firstRow = mirrored ? rows.begin : 0;
        require(m_batches.empty() ||
                    (mirrored == m_filtered.mirrored && firstRow == m_filtered.firstRow),
                "views of other rows were to be added together");
        makeTexture(mirrored, stream);
        gpu::LayeredSurface to = m_views.surface();
        for (const gpu::ConeBatch& before : m_batches)
            to.firstLayer += before.views;
        if (mirrored)
            gpu::repackMirrored(views, rows, to, stream);
        else
            gpu::repackToSurface(views, to, stream);
        m_batches.push_back(batch);
        checkLaunch("repacking views for mirror-texture");
        m_filtered = {m_views.texture(), firstRow, mirrored};
    }

    void add(const gpu::ConeBatch& /*batch*/, const gpu::ConeSlab& slab,
             cudaStream_t stream) override {
        gpu::addMirrorTexture(m_batches.data(), static_cast<int>(m_batches.size()), slab,
                              m_filtered, stream);
        checkLaunch("adding views by mirror-texture");
    }

  private:
    // Room for half of the rows, and some more for rows that lie unevenly about the mirror; beyond
    // that, pairs cost more memory than they save fetches.
    static Index mirroredRows(Index nV) { return nV / 2 + nV / 8 + 32; }

    // Seldom makes a new texture: mirrored slabs and others do not alternate.
    void makeTexture(bool mirrored, cudaStream_t stream) {
        const auto bilinear = LayeredTexture::Read::bilinear;
        const Index rows = mirrored ? mirroredRows(m_nV) : m_nV;
        const int channels = mirrored ? kMirroredChannels : 1;
        m_views.reserve(m_nS, rows, m_nU, channels, bilinear, stream);
    }

    Index m_nS = 0;
    Index m_nV = 0;
    Index m_nU = 0;
    ViewTexture m_views;
    gpu::FilteredTexture m_filtered;
    std::vector<gpu::ConeBatch> m_batches;  // that are added together
    std::optional<int> m_mirrorSum;         // the slab's, the same for all of them
};

}  // namespace

std::unique_ptr<ConeKernel> makeMirrorTextureKernel() {
    return std::make_unique<MirrorTextureKernel>();
}

}  // namespace gantry
