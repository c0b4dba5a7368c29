#include "gpu/engine/column_copies.h"

#include <algorithm>

#include "gpu/device/cuda_check.h"
#include "gpu/kernels/transpose.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = 128'000'000;  // that are transposed at a time

Index partsAtOnce(Index partFloats) {
    return std::max<Index>(1, kPieceBytes / (partFloats * Index{sizeof(float)}));
}

std::size_t bytesOf(Index floats) {
    return static_cast<std::size_t>(floats) * sizeof(float);
}

// Some of the rays' views.
gpu::RayRows viewsOf(const gpu::RayRows& rows, IndexRange views) {
    gpu::RayRows some = rows;
    some.values = rows.values + rows.at(rows.firstView + static_cast<int>(views.begin), 0, 0);
    some.firstView = rows.firstView + static_cast<int>(views.begin);
    some.nS = static_cast<int>(views.size());
    return some;
}

}  // namespace

Index ColumnCopies::bytesNeeded(Index sliceVoxels, Index viewPixels) {
    const Index slices = partsAtOnce(sliceVoxels) * sliceVoxels;
    const Index views = partsAtOnce(viewPixels) * viewPixels;
    return std::max(slices, views) * Index{sizeof(float)};
}

template <class Work>
void ColumnCopies::forEachPiece(Index parts, Index partFloats, const Work& work) {
    const Index atOnce = std::min(parts, partsAtOnce(partFloats));
    m_piece.reserve(atOnce * partFloats);
    for (Index part = 0; part < parts; part += atOnce)
        work(IndexRange{part, std::min(part + atOnce, parts)});
    check(cudaStreamSynchronize(m_stream), "copying volumes and views");
}

void ColumnCopies::toSlab(const float* host, IndexRange slices, const gpu::RaySlab& slab) {
    const Index columns = Index{slab.n[0]} * slab.n[1];
    forEachPiece(slices.size(), columns, [&](IndexRange piece) {
        check(cudaMemcpyAsync(m_piece.data(), host + piece.begin * columns,
                              bytesOf(piece.size() * columns), cudaMemcpyHostToDevice, m_stream),
              "copying voxels to the GPU");
        gpu::transpose(m_piece.data(), {columns, 0}, piece.size(), columns,
                       slab.voxels + slices.begin + piece.begin, {slab.pitchZ, 0}, 1, false,
                       m_stream);
        checkLaunch("transposing a slab");
    });
}

void ColumnCopies::toHost(const gpu::RaySlab& slab, IndexRange slices, float* host) {
    const Index columns = Index{slab.n[0]} * slab.n[1];
    forEachPiece(slices.size(), columns, [&](IndexRange piece) {
        gpu::transpose(slab.voxels + slices.begin + piece.begin, {slab.pitchZ, 0}, columns,
                       piece.size(), m_piece.data(), {columns, 0}, 1, false, m_stream);
        checkLaunch("transposing a slab");
        check(cudaMemcpyAsync(host + piece.begin * columns, m_piece.data(),
                              bytesOf(piece.size() * columns), cudaMemcpyDeviceToHost, m_stream),
              "copying voxels to the host");
    });
}

void ColumnCopies::toRays(const float* host, const gpu::RayRows& rows) {
    const Index pixels = Index{rows.nU} * rows.nV;
    forEachPiece(rows.nS, pixels, [&](IndexRange piece) {
        check(cudaMemcpyAsync(m_piece.data(), host + piece.begin * pixels,
                              bytesOf(piece.size() * pixels), cudaMemcpyHostToDevice, m_stream),
              "copying views to the GPU");
        const gpu::RayRows some = viewsOf(rows, piece);
        gpu::transpose(m_piece.data(), {rows.nU, pixels}, rows.nV, rows.nU, some.values,
                       {rows.pitchV, Index{rows.nU} * rows.pitchV}, some.nS, false, m_stream);
        checkLaunch("transposing views");
    });
}

void ColumnCopies::toHost(const gpu::RayRows& rows, float* host) {
    const Index pixels = Index{rows.nU} * rows.nV;
    forEachPiece(rows.nS, pixels, [&](IndexRange piece) {
        const gpu::RayRows some = viewsOf(rows, piece);
        gpu::transpose(some.values, {rows.pitchV, Index{rows.nU} * rows.pitchV}, rows.nU, rows.nV,
                       m_piece.data(), {rows.nU, pixels}, some.nS, false, m_stream);
        checkLaunch("transposing views");
        check(cudaMemcpyAsync(host + piece.begin * pixels, m_piece.data(),
                              bytesOf(piece.size() * pixels), cudaMemcpyDeviceToHost, m_stream),
              "copying views to the host");
    });
}

}  // namespace gantry
