#include "gpu/engine/column_copies.h"

#include <algorithm>
#include <functional>

#include "gpu/device/cuda_check.h"
#include "gpu/kernels/transpose.h"

namespace gantry {

namespace {

constexpr Index kPieceBytes = 64'000'000;  // that are transposed at a time
constexpr Index kFloatsOfThread = 1'000'000;

Index partsAtOnce(Index partFloats) {
    return std::max<Index>(1, kPieceBytes / (partFloats * Index{sizeof(float)}));
}

std::size_t bytesOf(Index floats) {
    return static_cast<std::size_t>(floats) * sizeof(float);
}

void copy(const float* from, Index floats, float* to, int threads, bool isAdded = false) {
    const auto pieces = static_cast<int>(1 + floats / kFloatsOfThread);
    parallelFor(
        std::min(threads, pieces), floats, kFloatsOfThread, [&](Index begin, Index end, int) {
            if (isAdded)
                std::transform(from + begin, from + end, to + begin, to + begin, std::plus<>());
            else
                std::copy(from + begin, from + end, to + begin);
        });
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
    for (std::size_t i = 0; i < m_stages.size(); ++i)  // the older one first
        finish(m_stages[(m_pieces + i) % m_stages.size()]);
}

// Waits until the device has passed a stage, and takes from it what is the host's.
void ColumnCopies::finish(Stage& stage) const {
    if (stage.floats == 0) return;
    stage.passed.synchronize();
    if (stage.host) copy(stage.pinned.data(), stage.floats, stage.host, m_threads, stage.isAdded);
    stage.floats = 0;
}

ColumnCopies::Stage& ColumnCopies::nextStage(Index floats) {
    Stage& stage = m_stages[m_pieces++ % m_stages.size()];
    finish(stage);
    if (stage.pinned.count() < floats) {
        stage.pinned = {};
        stage.pinned = PinnedBuffer<float>(floats);
    }
    stage.floats = floats;
    return stage;
}

void ColumnCopies::toDevice(const float* host, Index floats) {
    Stage& stage = nextStage(floats);
    stage.host = nullptr;
    copy(host, floats, stage.pinned.data(), m_threads);
    check(cudaMemcpyAsync(m_piece.data(), stage.pinned.data(), bytesOf(floats),
                          cudaMemcpyHostToDevice, m_stream),
          "copying volumes and views to the GPU");
    stage.passed.record(m_stream);
}

void ColumnCopies::toHost(float* host, Index floats, bool isAdded) {
    Stage& stage = nextStage(floats);
    stage.host = host;
    stage.isAdded = isAdded;
    check(cudaMemcpyAsync(stage.pinned.data(), m_piece.data(), bytesOf(floats),
                          cudaMemcpyDeviceToHost, m_stream),
          "copying volumes and views to the host");
    stage.passed.record(m_stream);
}

void ColumnCopies::toSlab(const float* host, IndexRange slices, const gpu::RaySlab& slab) {
    const Index columns = Index{slab.n[0]} * slab.n[1];
    forEachPiece(slices.size(), columns, [&](IndexRange piece) {
        toDevice(host + piece.begin * columns, piece.size() * columns);
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
        toHost(host + piece.begin * columns, piece.size() * columns, false);
    });
}

void ColumnCopies::toRays(const float* host, const gpu::RayRows& rows) {
    const Index pixels = Index{rows.nU} * rows.nV;
    forEachPiece(rows.nS, pixels, [&](IndexRange piece) {
        toDevice(host + piece.begin * pixels, piece.size() * pixels);
        const gpu::RayRows some = viewsOf(rows, piece);
        gpu::transpose(m_piece.data(), {rows.nU, pixels}, rows.nV, rows.nU, some.values,
                       {rows.pitchV, Index{rows.nU} * rows.pitchV}, some.nS, false, m_stream);
        checkLaunch("transposing views");
    });
}

void ColumnCopies::toHost(const gpu::RayRows& rows, float* host) {
    toHost(rows, host, false);
}

void ColumnCopies::addToHost(const gpu::RayRows& rows, float* host) {
    toHost(rows, host, true);
}

void ColumnCopies::toHost(const gpu::RayRows& rows, float* host, bool isAdded) {
    const Index pixels = Index{rows.nU} * rows.nV;
    forEachPiece(rows.nS, pixels, [&](IndexRange piece) {
        const gpu::RayRows some = viewsOf(rows, piece);
        gpu::transpose(some.values, {rows.pitchV, Index{rows.nU} * rows.pitchV}, rows.nU, rows.nV,
                       m_piece.data(), {rows.nU, pixels}, some.nS, false, m_stream);
        checkLaunch("transposing views");
        toHost(host + piece.begin * pixels, piece.size() * pixels, isAdded);
    });
}

}  // namespace gantry
