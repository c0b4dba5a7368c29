#include "gpu/engine/parallel_kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/view_texture.h"
#include "gpu/kernels/parallel/parallel_kernels.h"
#include "gpu/kernels/parallel/parallel_views.h"

namespace gantry {

namespace {

using gpu::AluRead;
using gpu::ConeSlab;
using gpu::FilteredViews;
using gpu::ParallelBatch;
using gpu::SliceTexel;
using gpu::SliceWord;
using gpu::TextureMapping;

// What all these kernels share. A slab usually has as many slices as its views have rows, but more
// where voxels are flat: it is then made in parts, and the views are repacked for each part.
class ParallelKernel : public ConeKernel {
  public:
    [[nodiscard]] bool isZFastest() const final { return false; }

    void reserve(Index nS, Index nV, Index nU) final {
        m_partSlices = static_cast<int>(partSlices(nV));
        m_room = static_cast<int>(nS);
        reserveViews(nS, m_partSlices, nU);
    }

    void repack(const FilteredViews& views, const gpu::ConeBatch& batch, const ConeSlab& slab,
                cudaStream_t stream) final {
        m_views.clear();
        m_batches.clear();
        repackMore(views, batch, slab, stream);
    }

    void repackMore(const FilteredViews& views, const gpu::ConeBatch& batch, const ConeSlab& slab,
                    cudaStream_t stream) final {
        const std::optional<ParallelBatch> parallel = gpu::parallelBatch(batch);
        require(parallel.has_value(),
                "this kernel takes parallel beams only, square to aligned detectors");
        m_views.push_back(views);
        m_batches.push_back(*parallel);
        repackBatch(m_batches.size() - 1, slab, 0, stream);
        m_repacked = 0;
    }

    // A slab made in parts needs its views repacked for each part, so only one batch is held.
    [[nodiscard]] Index viewsAtOnce(const ConeSlab& slab) const final {
        return slab.nZ <= m_partSlices ? m_room : std::min(m_room, gpu::kMaxViews);
    }

    void add(const gpu::ConeBatch& /*batch*/, const ConeSlab& slab, cudaStream_t stream) final {
        for (int first = 0; first < slab.nZ; first += m_partSlices) {
            for (std::size_t i = 0; m_repacked != first && i < m_batches.size(); ++i)
                repackBatch(i, slab, first, stream);
            m_repacked = first;
            ConeSlab part = slab;
            part.voxels += static_cast<Index>(first) * slab.nX * slab.nY;
            part.nZ = slicesFrom(slab, first);
            check(addViews(m_batches, part, stream), "adding views of a parallel beam");
        }
    }

  protected:
    // Slices of a part: a multiple of what a thread makes at once.
    static Index partSlices(Index nV) {
        constexpr Index kGroup = 32;
        constexpr Index kMax = 2048;  // layers of a texture
        return std::min((nV + kGroup - 1) / kGroup * kGroup, kMax);
    }
    [[nodiscard]] int room() const { return m_room; }

    virtual void reserveViews(Index nS, Index slices, Index nU) = 0;
    // Repacks the views of a batch; they are numbered from `first` among those to be added.
    virtual cudaError_t repackViews(const FilteredViews& views, const ParallelBatch& batch,
                                    int first, int slices, cudaStream_t stream) = 0;
    virtual cudaError_t addViews(std::span<const ParallelBatch> batches, const ConeSlab& slab,
                                 cudaStream_t stream) = 0;

  private:
    [[nodiscard]] int slicesFrom(const ConeSlab& slab, int first) const {
        return std::min(m_partSlices, slab.nZ - first);
    }

    void repackBatch(std::size_t i, const ConeSlab& slab, int firstSlice, cudaStream_t stream) {
        ParallelBatch batch = m_batches[i];
        for (gpu::ParallelView& view : batch.view)
            view.firstRow += view.rowStep * firstSlice;
        check(repackViews(m_views[i], batch, static_cast<int>(i) * gpu::kMaxViews,
                          slicesFrom(slab, firstSlice), stream),
              "repacking views of a parallel beam");
    }

    int m_partSlices = 0;
    int m_room = 0;
    std::vector<FilteredViews> m_views;  // batches that are added together
    std::vector<ParallelBatch> m_batches;
    int m_repacked = 0;  // first slice of the part that the views are repacked for
};

// Device memory for words of slices side by side.
class Words {
  public:
    explicit Words(SliceWord word) { m_views.word = word; }

    [[nodiscard]] Index bytes(Index nS, Index slices, Index nU) const {
        return wordBytes(nS, slices, nU) + nS * static_cast<Index>(sizeof(gpu::ParallelView)) +
               batches(nS) * static_cast<Index>(sizeof(float));
    }
    void reserve(Index nS, Index slices, Index nU) {
        m_words.reserve(wordBytes(nS, slices, nU));
        m_numbers.reserve(nS);
        m_inverseScale.reserve(batches(nS));
    }
    cudaError_t repack(const FilteredViews& views, const ParallelBatch& batch, int first,
                       int slices, int room, cudaStream_t stream) {
        m_views.words = m_words.data();
        m_views.views = m_numbers.data();
        m_views.inverseScale = m_inverseScale.data();
        m_views.nU = views.nU;
        m_views.room = room;
        return gpu::packParallelViews(views, batch, slices, first, m_views, stream);
    }
    [[nodiscard]] const gpu::ParallelViews& views() const { return m_views; }

  private:
    static Index batches(Index nS) { return (nS + gpu::kMaxViews - 1) / gpu::kMaxViews; }
    [[nodiscard]] Index wordBytes(Index nS, Index slices, Index nU) const {
        return static_cast<Index>(gpu::parallelBytes(m_views.word, static_cast<int>(slices),
                                                     static_cast<int>(nS), static_cast<int>(nU)));
    }

    gpu::ParallelViews m_views;
    DeviceBuffer<std::byte> m_words;
    DeviceBuffer<gpu::ParallelView> m_numbers;
    DeviceBuffer<float> m_inverseScale;
};

// A kernel whose views are words of several slices in device memory.
class WordsKernel : public ParallelKernel {
  public:
    explicit WordsKernel(SliceWord word) : m_words(word) {}

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const final {
        return m_words.bytes(nS, partSlices(nV), nU);
    }

  protected:
    [[nodiscard]] const gpu::ParallelViews& words() const { return m_words.views(); }

  private:
    void reserveViews(Index nS, Index slices, Index nU) final { m_words.reserve(nS, slices, nU); }
    cudaError_t repackViews(const FilteredViews& views, const ParallelBatch& batch, int first,
                            int slices, cudaStream_t stream) final {
        return m_words.repack(views, batch, first, slices, room(), stream);
    }

    Words m_words;
};

// Reading and writing the slab takes 1/5 of a launch of 32 views, and 1/20 of one of 128.
class StackKernel final : public WordsKernel {
  public:
    using WordsKernel::WordsKernel;

    [[nodiscard]] Index preferredViews() const override { return 128; }

  private:
    cudaError_t addViews(std::span<const ParallelBatch> batches, const ConeSlab& slab,
                         cudaStream_t stream) override {
        int count = 0;
        auto form = gpu::StackForm::square;
        for (const ParallelBatch& batch : batches) {
            count += batch.views;
            form = std::max(form, gpu::stackForm(batch));
        }
        return gpu::addParallelStack(words(), count, form, slab, stream);
    }
};

class AluKernel final : public WordsKernel {
  public:
    AluKernel(SliceWord word, AluRead read) : WordsKernel(word), m_read(read) {}

  private:
    cudaError_t addViews(std::span<const ParallelBatch> batches, const ConeSlab& slab,
                         cudaStream_t stream) override {
        require(gpu::stackForm(batches.front()) != gpu::StackForm::coarse,
                "this kernel takes voxels that are no wider than a pixel");
        return gpu::addParallelAlu(words(), batches.front().views, m_read, slab, stream);
    }

    AluRead m_read;
};

// A texture with the views of slices, one line a view.
class SliceLayers {
  public:
    SliceLayers(SliceTexel texel, bool forged) : m_texel(texel), m_forged(forged) {}

    [[nodiscard]] Index bytes(Index nS, Index slices, Index nU) const {
        return ViewTexture::bytes(layers(slices), nS, nU, channels());
    }
    void reserve(Index nS, Index slices, Index nU) {
        const auto read = m_forged ? LayeredTexture::Read::nearest : LayeredTexture::Read::bilinear;
        m_texture.reserve(layers(slices), nS, nU, channels(), read);
    }
    cudaError_t repack(const FilteredViews& views, const ParallelBatch& batch, int slices,
                       cudaStream_t stream) {
        return gpu::packParallelTexture(views, batch, slices, 0, m_texel, m_texture.surface(),
                                        stream);
    }
    [[nodiscard]] gpu::SliceTexture texture() const {
        return {m_texture.texture(), m_texel, m_forged};
    }

  private:
    [[nodiscard]] Index layers(Index slices) const {
        return (slices + gpu::slicesOf(m_texel) - 1) / gpu::slicesOf(m_texel);
    }
    // "Forged" pixels are four half floats declared as two floats.
    [[nodiscard]] int channels() const { return m_forged ? 2 : gpu::slicesOf(m_texel); }

    SliceTexel m_texel;
    bool m_forged;
    ViewTexture m_texture;
};

class TextureKernel final : public ParallelKernel {
  public:
    TextureKernel(SliceTexel texel, bool forged, TextureMapping mapping)
        : m_layers(texel, forged), m_mapping(mapping) {}

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return m_layers.bytes(nS, partSlices(nV), nU);
    }

  private:
    void reserveViews(Index nS, Index slices, Index nU) override {
        m_layers.reserve(nS, slices, nU);
    }
    cudaError_t repackViews(const FilteredViews& views, const ParallelBatch& batch, int /*first*/,
                            int slices, cudaStream_t stream) override {
        for (int s = 0; s < batch.views; ++s)
            m_upright[s] = gpu::upright(batch.view[s], views.nU);
        return m_layers.repack(views, batch, slices, stream);
    }
    cudaError_t addViews(std::span<const ParallelBatch> batches, const ConeSlab& slab,
                         cudaStream_t stream) override {
        return gpu::addParallelTexture(m_upright.data(), batches.front().views, 0,
                                       m_layers.texture(), m_mapping, slab, stream);
    }

    SliceLayers m_layers;
    TextureMapping m_mapping;
    std::array<gpu::ParallelView, gpu::kMaxViews> m_upright;
};

class HybridKernel final : public ParallelKernel {
  public:
    HybridKernel(SliceWord word, SliceTexel texel, gpu::HybridRatio ratio)
        : m_words(word), m_layers(texel, false), m_ratio(ratio) {}

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return m_words.bytes(nS, partSlices(nV), nU) + m_layers.bytes(nS, partSlices(nV), nU) +
               gpu::kMaxMultiprocessors * static_cast<Index>(sizeof(unsigned));
    }

  private:
    void reserveViews(Index nS, Index slices, Index nU) override {
        m_words.reserve(nS, slices, nU);
        m_layers.reserve(nS, slices, nU);
        m_begun.reserve(gpu::kMaxMultiprocessors);
    }
    cudaError_t repackViews(const FilteredViews& views, const ParallelBatch& batch, int first,
                            int slices, cudaStream_t stream) override {
        const cudaError_t words = m_words.repack(views, batch, first, slices, room(), stream);
        return words != cudaSuccess ? words : m_layers.repack(views, batch, slices, stream);
    }
    cudaError_t addViews(std::span<const ParallelBatch> batches, const ConeSlab& slab,
                         cudaStream_t stream) override {
        require(gpu::stackForm(batches.front()) != gpu::StackForm::coarse,
                "this kernel takes voxels that are no wider than a pixel");
        return gpu::addParallelHybrid(m_words.views(), m_layers.texture(), batches.front().views,
                                      m_ratio, m_begun.data(), slab, stream);
    }

    Words m_words;
    SliceLayers m_layers;
    gpu::HybridRatio m_ratio;
    DeviceBuffer<unsigned> m_begun;
};

template <class Kernel, auto... kOptions>
std::unique_ptr<ConeKernel> made() {
    return std::make_unique<Kernel>(kOptions...);
}

struct NamedKernel {
    std::string_view name;
    bool isExact;
    std::unique_ptr<ConeKernel> (*make)();
};

// "opt" is the paper's optimised mapping of threads. The hybrids' ratios are the best of those
// measured on an H100.
constexpr std::array<NamedKernel, 16> kKernels = {{
    {"parallel-texture", false,
     made<TextureKernel, SliceTexel::one, false, TextureMapping::standard>},
    {"parallel-texture-opt", false,
     made<TextureKernel, SliceTexel::one, false, TextureMapping::optimised>},
    {"parallel-texture2", false,
     made<TextureKernel, SliceTexel::two, false, TextureMapping::standard>},
    {"parallel-texture2-opt", false,
     made<TextureKernel, SliceTexel::two, false, TextureMapping::optimised>},
    {"parallel-texture4", false,
     made<TextureKernel, SliceTexel::halfFour, false, TextureMapping::standard>},
    {"parallel-texture4-opt", false,
     made<TextureKernel, SliceTexel::halfFour, false, TextureMapping::optimised>},
    {"parallel-nearest4", false,
     made<TextureKernel, SliceTexel::halfFour, true, TextureMapping::standard>},
    {"parallel-nearest4-opt", false,
     made<TextureKernel, SliceTexel::halfFour, true, TextureMapping::optimised>},
    {"parallel-alu", true, made<AluKernel, SliceWord::one, AluRead::linear>},
    {"parallel-alu2", true, made<AluKernel, SliceWord::two, AluRead::linear>},
    {"parallel-alu-oversampled", false, made<AluKernel, SliceWord::one, AluRead::oversampled>},
    {"parallel-alu2-oversampled", false, made<AluKernel, SliceWord::two, AluRead::oversampled>},
    {"parallel-hybrid", false,
     made<HybridKernel, SliceWord::one, SliceTexel::one, gpu::HybridRatio{3, 8}>},
    {"parallel-hybrid2", false,
     made<HybridKernel, SliceWord::two, SliceTexel::two, gpu::HybridRatio{3, 8}>},
    {"parallel-stack", true, made<StackKernel, SliceWord::four>},
    {"parallel-half", false, made<StackKernel, SliceWord::halfEight>},
}};

const NamedKernel* find(std::string_view name) {
    const auto found = std::ranges::find(kKernels, name, &NamedKernel::name);
    return found == kKernels.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> parallelKernelNames() {
    std::vector<std::string> names;
    names.reserve(kKernels.size());
    for (const NamedKernel& kernel : kKernels)
        names.emplace_back(kernel.name);
    return names;
}

std::unique_ptr<ConeKernel> makeParallelKernel(std::string_view name) {
    const NamedKernel* const kernel = find(name);
    return kernel ? kernel->make() : nullptr;
}

bool isExactParallelKernel(std::string_view name) {
    const NamedKernel* const kernel = find(name);
    return kernel && kernel->isExact;
}

}  // namespace gantry
