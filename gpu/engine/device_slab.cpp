#include "gpu/engine/device_slab.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "gpu/device/cuda_check.h"
#include "gpu/kernels/transpose.h"

namespace gantry {

namespace {

Index sliceVoxels(const VolumeGrid& grid) {
    return grid.voxels[0] * grid.voxels[1];
}

// Several threads copy: one alone reaches a fifth of the bus's rate.
void copyOnHost(const float* from, Span3<float> to) {
    constexpr int kMaxThreads = 6;
    constexpr Index kGrain = 1 << 20;
    parallelFor(std::min(kMaxThreads, availableThreads()), to.count(), kGrain,
                [&](Index begin, Index end, int) {
                    std::memcpy(to.data() + begin, from + begin,
                                static_cast<std::size_t>(end - begin) * sizeof(float));
                });
}

}  // namespace

void DeviceSlab::begin(const VolumeGrid& grid, const IndexRanges& slices, bool zFastest,
                       cudaStream_t stream) {
    require(slices.parts().size() == 1 || slices.parts()[0].size() == slices.parts()[1].size(),
            "the two ranges of a slab are not equally high");
    m_grid = grid;
    m_slices = slices;
    m_zFastest = zFastest;
    const Index count = slices.size() * sliceVoxels(grid);
    m_voxels.reserve(count);
    check(
        cudaMemsetAsync(m_voxels.data(), 0, static_cast<std::size_t>(count * kFloatBytes), stream),
        "zeroing a slab");
}

float* DeviceSlab::firstVoxel(std::size_t part) const {
    return m_voxels.data() + (part == 0 ? 0 : m_slices.parts()[0].size() * sliceVoxels(m_grid));
}

gpu::ConeSlab DeviceSlab::voxels() const {
    return {m_voxels.data(), static_cast<int>(m_grid.voxels[0]), static_cast<int>(m_grid.voxels[1]),
            static_cast<int>(m_slices.size()),
            static_cast<int>(m_slices.hull().size() - m_slices.size())};
}

gpu::ConeSlab DeviceSlab::voxels(std::size_t part) const {
    return {firstVoxel(part), static_cast<int>(m_grid.voxels[0]),
            static_cast<int>(m_grid.voxels[1]), static_cast<int>(m_slices.parts()[part].size())};
}

gpu::ConeBatch DeviceSlab::batch(std::span<const ProjectionMatrix> matrices, Index firstRow,
                                 std::size_t part) const {
    require(matrices.size() <= gpu::kMaxViews, "more views than a launch takes");
    const VolumeGrid grid = m_grid.slab(m_slices.parts()[part]);
    const auto shift = static_cast<double>(firstRow);
    gpu::ConeBatch batch = {};
    batch.views = static_cast<int>(matrices.size());
    for (std::size_t s = 0; s < matrices.size(); ++s) {
        const ProjectionMatrix onVoxels = onVoxelIndices(matrices[s], grid);
        for (std::size_t i = 0; i < 4; ++i) {
            batch.m[s][0][i] = onVoxels.m[0][i];
            batch.m[s][1][i] = onVoxels.m[1][i] - shift * onVoxels.m[2][i];
            batch.m[s][2][i] = onVoxels.m[2][i];
        }
    }
    return batch;
}

void DeviceSlab::read(IndexRange slices, Span3<float> out, DeviceBuffer<float>& transposed,
                      cudaStream_t stream) const {
    const auto parts = m_slices.parts();
    const auto holds = [&](const IndexRange& part) {
        return slices.begin >= part.begin && slices.end <= part.end;
    };
    const auto found = std::ranges::find_if(parts, holds);
    require(found != parts.end(), "slices that a slab does not have were to be read");
    const auto part = static_cast<std::size_t>(found - parts.begin());
    const Index count = slices.size() * sliceVoxels(m_grid);
    if (count <= 0) return;
    const Index first = slices.begin - found->begin;
    const float* from = firstVoxel(part) + first * sliceVoxels(m_grid);
    if (m_zFastest) {
        transposed.reserve(count);
        const gpu::ConeSlab slab = voxels(part);
        const Index columns = sliceVoxels(m_grid);
        gpu::transpose(slab.voxels + first, {slab.nZ, 0}, columns, slices.size(), transposed.data(),
                       {columns, 0}, 1, false, stream);
        checkLaunch("transposing a slab");
        from = transposed.data();
    }
    check(cudaMemcpyAsync(out.data(), from, static_cast<std::size_t>(count * kFloatBytes),
                          cudaMemcpyDeviceToHost, stream),
          "copying a slab to the host");
}

Index DeviceSlab::slicesAtOnce(const VolumeGrid& grid, Index slices) {
    constexpr Index kEnoughBytes = 128'000'000;
    return std::clamp<Index>(kEnoughBytes / (sliceVoxels(grid) * kFloatBytes), 1,
                             std::max<Index>(slices, 1));
}

Index DeviceSlab::bytesNeeded(const VolumeGrid& grid, Index slices) {
    return slices * sliceVoxels(grid) * kFloatBytes;
}

Index DeviceSlab::transposeBytes(const VolumeGrid& grid, Index slices, bool zFastest) {
    return zFastest ? bytesNeeded(grid, slicesAtOnce(grid, slices)) : 0;
}

Index SlabAdder::roomFor(const ConeKernel& kernel, Index batchViews, Index views) {
    constexpr Index kMax = gpu::kMaxViews;
    if (batchViews < kMax) return batchViews;
    return std::min(kernel.preferredViews(), (views + kMax - 1) / kMax * kMax);
}

// Holds a full launch's views while there is room for another launch; adds them otherwise.
Index SlabAdder::addOrHold(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                           const gpu::ConeSlab& slab, cudaStream_t stream) {
    Index added = 0;
    if (m_held > 0 && !m_kernel.takesMore(batch, slab)) {
        m_kernel.add(m_batch, slab, stream);
        added = std::exchange(m_held, 0);
    }
    if (m_held > 0)
        m_kernel.repackMore(views, batch, slab, stream);
    else
        m_kernel.repack(views, batch, slab, stream);
    m_held += views.nS;
    m_batch = batch;
    if (views.nS == gpu::kMaxViews && m_held + gpu::kMaxViews <= m_kernel.viewsAtOnce(slab))
        return added;
    m_kernel.add(batch, slab, stream);
    return added + std::exchange(m_held, 0);
}

Index SlabAdder::add(const DeviceSlab& slab, const gpu::FilteredViews& views,
                     std::span<const ProjectionMatrix> matrices, Index firstRow,
                     cudaStream_t stream) {
    const std::size_t parts = slab.slices().parts().size();
    Index added = 0;
    for (int first = 0; first < views.nS; first += gpu::kMaxViews) {
        const gpu::FilteredViews some =
            gpu::someViews(views, first, std::min(views.nS - first, gpu::kMaxViews));
        const auto own = matrices.subspan(first, some.nS);
        const gpu::ConeBatch whole = slab.batch(own, firstRow);
        if (parts == 1 || m_kernel.takesPair(some, whole, slab.voxels())) {
            added += addOrHold(some, whole, slab.voxels(), stream);
            continue;
        }
        // Each range is repacked and added by itself, so nothing can be held.
        added += finish(slab, stream);
        for (std::size_t part = 0; part < parts; ++part) {
            const Index before = some.upper && part == 1 ? some.upperRow : 0;
            const gpu::ConeBatch batch = slab.batch(own, firstRow + before, part);
            m_kernel.repack(some.upper ? gpu::blockOf(some, part == 1) : some, batch,
                            slab.voxels(part), stream);
            m_kernel.add(batch, slab.voxels(part), stream);
        }
        added += some.nS;
    }
    return added;
}

Index SlabAdder::finish(const DeviceSlab& slab, cudaStream_t stream) {
    if (m_held > 0) m_kernel.add(m_batch, slab.voxels(), stream);
    return std::exchange(m_held, 0);
}

SlabReader::SlabReader(const VolumeGrid& grid, Index chunkSlices, bool zFastest)
    : m_pieceSlices(DeviceSlab::slicesAtOnce(grid, chunkSlices)),
      m_sliceVoxels(grid.voxels[0] * grid.voxels[1]) {
    if (zFastest) m_transposed.reserve(m_pieceSlices * m_sliceVoxels);
}

void SlabReader::read(const DeviceSlab& slab, const Event& finished, IndexRange slices,
                      Span3<float> out, Index number, DeviceSpans& spans) {
    m_stream.wait(finished);
    if (isPinned(out.data(), out.count() * Index{sizeof(float)}))
        readPieces(slab, slices, out, number, spans);
    else
        readThroughLandings(slab, slices, out, number, spans);
}

void SlabReader::copyPiece(const DeviceSlab& slab, IndexRange piece, Span3<float> out, Index number,
                           DeviceSpans& spans) {
    const Index bytes = piece.size() * m_sliceVoxels * Index{sizeof(float)};
    spans.measure(m_stream.get(), Stage::download, {number, 0, bytes, 0},
                  [&] { slab.read(piece, out, m_transposed, m_stream.get()); });
}

void SlabReader::readPieces(const DeviceSlab& slab, IndexRange slices, Span3<float> out,
                            Index number, DeviceSpans& spans) {
    for (Index z = slices.begin; z < slices.end; z += m_pieceSlices) {
        const IndexRange piece = {z, std::min(z + m_pieceSlices, slices.end)};
        copyPiece(slab, piece, out.slices({z - slices.begin, piece.end - slices.begin}), number,
                  spans);
    }
    m_stream.synchronize();
}

void SlabReader::readThroughLandings(const DeviceSlab& slab, IndexRange slices, Span3<float> out,
                                     Index number, DeviceSpans& spans) {
    IndexRange before;  // being copied to the other landing
    std::size_t current = 0;
    for (Index z = slices.begin; z < slices.end || !before.empty(); z += m_pieceSlices) {
        const IndexRange piece = {std::min(z, slices.end), std::min(z + m_pieceSlices, slices.end)};
        if (!piece.empty()) {
            Landing& landing = m_landings[current];
            if (landing.voxels.count() == 0)
                landing.voxels = PinnedBuffer<float>(m_pieceSlices * m_sliceVoxels);
            copyPiece(slab, piece, {landing.voxels.data(), piece.size(), out.size(1), out.size(2)},
                      number, spans);
            landing.landed.record(m_stream.get());
        }
        current = 1 - current;
        if (!before.empty()) {
            m_landings[current].landed.synchronize();
            copyOnHost(m_landings[current].voxels.data(),
                       out.slices({before.begin - slices.begin, before.end - slices.begin}));
        }
        before = piece;
    }
}

}  // namespace gantry
