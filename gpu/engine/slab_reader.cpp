#include "gpu/engine/slab_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/parallel.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

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
