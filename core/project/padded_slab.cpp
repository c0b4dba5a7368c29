#include "core/project/padded_slab.h"

#include <algorithm>

#include "core/backproject/columns_layout.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr Index kSide = kColumnAlignment;  // floats of a cache line

// Like a view, a column of voxels has kPadRows of zeros at its ends.
std::array<Index, 3> stridesOf(const std::array<Index, 3>& voxels) {
    const Index column = ViewLayout{0, voxels[2], 0, 1}.columnStride();
    return {column, column * (voxels[0] + 2), 1};
}

Index countOf(const std::array<Index, 3>& voxels) {
    return stridesOf(voxels)[1] * (voxels[1] + 2);
}

}  // namespace

Index PaddedSlab::firstZ() {
    return kPadRows;
}

void PaddedSlab::reset(std::array<Index, 3> voxels, int threads) {
    m_voxels = voxels;
    m_strides = stridesOf(voxels);
    makeRoom(m_buffer, countOf(voxels));
    fillWithZeros(m_buffer.data(), countOf(voxels), threads);
}

// Blocks of up to 16 × 16 of x and z, so that both sides go by whole cache lines.
template <class Copy>
void PaddedSlab::forEachBlock(IndexRange slices, int threads, const Copy& copy) {
    parallelFor(threads, m_voxels[1], 1, [&](Index begin, Index end, int) {
        for (Index y = begin; y < end; ++y)
            for (Index z = slices.begin; z < slices.end; z += kSide)
                for (Index x = 0; x < m_voxels[0]; x += kSide)
                    copy(y, IndexRange{z, std::min(z + kSide, slices.end)},
                         IndexRange{x, std::min(x + kSide, m_voxels[0])});
    });
}

void PaddedSlab::set(IndexRange slices, Span3<const float> voxels, int threads) {
    forEachBlock(slices, threads, [&](Index y, IndexRange zs, IndexRange xs) {
        for (Index z = zs.begin; z < zs.end; ++z) {
            const float* row = voxels.row(z - slices.begin, y);
            for (Index x = xs.begin; x < xs.end; ++x)
                *at(x, y, z) = row[x];
        }
    });
}

void PaddedSlab::read(IndexRange slices, Span3<float> out, int threads) {
    forEachBlock(slices, threads, [&](Index y, IndexRange zs, IndexRange xs) {
        for (Index z = zs.begin; z < zs.end; ++z) {
            float* row = out.row(z - slices.begin, y);
            for (Index x = xs.begin; x < xs.end; ++x)
                row[x] = *at(x, y, z);
        }
    });
}

void PaddedSlab::clearBehind(int threads) {
    const Index behind = (kColumnAlignment - m_voxels[2] % kColumnAlignment) % kColumnAlignment;
    parallelFor(threads, m_voxels[1], 8, [&](Index begin, Index end, int) {
        for (Index y = begin; y < end; ++y)
            for (Index x = 0; x < m_voxels[0]; ++x)
                std::fill_n(at(x, y, m_voxels[2]), behind, 0.0F);
    });
}

Index PaddedSlab::bytesNeeded(std::array<Index, 3> voxels) {
    return countOf(voxels) * Index{sizeof(float)};
}

}  // namespace gantry
