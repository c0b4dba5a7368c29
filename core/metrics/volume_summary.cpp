#include "core/metrics/volume_summary.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr Index kPreviewVoxels = 128;  // max., along each axis

Index strideOf(Index voxels) {
    return (voxels + kPreviewVoxels - 1) / kPreviewVoxels;
}

VolumeSummary::Image emptyImage(const VolumeGrid& grid, std::size_t across, std::size_t up) {
    VolumeSummary::Image image;
    image.width = grid.voxels[across];
    image.height = grid.voxels[up];
    image.pixelWidthMm = grid.pitchMm[across];
    image.pixelHeightMm = grid.pitchMm[up];
    image.values.resize(image.width * image.height);
    return image;
}

// Visitors: these append a piece of the state to bytes, or read it from them.
auto appendTo(std::string& bytes) {
    return [&bytes](const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
    };
}
auto copyFrom(std::string_view& bytes) {
    return [&bytes](void* data, std::size_t size) {
        std::memcpy(data, bytes.data(), size);
        bytes.remove_prefix(size);
    };
}

// visitAll(visit) visits all pieces.
template <class VisitAll>
std::size_t sizeOf(const VisitAll& visitAll) {
    std::size_t all = 0;
    visitAll([&all](const void*, std::size_t size) { all += size; });
    return all;
}

void requireSize(std::string_view bytes, std::size_t size) {
    if (bytes.size() != size)
        throw InputError(
            "The interrupted run's summary does not fit the volume. Start the job again from the "
            "beginning.");
}

}  // namespace

Index VolumeSummary::bytesNeeded(const VolumeGrid& grid) {
    const auto [nX, nY, nZ] = grid.voxels;
    Index preview = 1;
    for (const Index voxels : grid.voxels)
        preview *= std::min(voxels, kPreviewVoxels);
    return (nX * nY + nX * nZ + nY * nZ + preview) * Index{sizeof(float)};
}

VolumeGrid VolumeSummary::previewGridOf(const VolumeGrid& grid) {
    VolumeGrid preview = grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Index stride = strideOf(grid.voxels[axis]);
        const Index taken = (grid.voxels[axis] + stride - 1) / stride;
        // Every stride-th voxel from the first on is taken; their middle is not quite the volume's.
        const auto lost = static_cast<double>(grid.voxels[axis] - 1 - (taken - 1) * stride);
        preview.voxels[axis] = taken;
        preview.pitchMm[axis] *= static_cast<double>(stride);
        preview.centerMm[axis] -= lost / 2 * grid.pitchMm[axis];
    }
    return preview;
}

VolumeSummary::VolumeSummary(const VolumeGrid& grid)
    : m_grid(grid),
      m_slices{emptyImage(grid, 0, 1), emptyImage(grid, 0, 2), emptyImage(grid, 1, 2)},
      m_stride{strideOf(grid.voxels[0]), strideOf(grid.voxels[1]), strideOf(grid.voxels[2])},
      m_previewGrid(previewGridOf(grid)),
      m_preview(static_cast<std::size_t>(m_previewGrid.count())) {}

Span3<const float> VolumeSummary::preview() const {
    return {m_preview.data(), m_previewGrid.voxels[2], m_previewGrid.voxels[1],
            m_previewGrid.voxels[0]};
}

// Calls visit(data, bytes) on every part of the state that slices change.
template <class Self, class Visit>
void VolumeSummary::visitParts(Self& self, const Visit& visit) {
    const auto visitVector = [&](auto& values) {
        visit(values.data(), values.size() * sizeof(float));
    };
    for (auto& image : self.m_slices)
        visitVector(image.values);
    visitVector(self.m_preview);
    visit(&self.m_smallest, sizeof(float));
    visit(&self.m_largest, sizeof(float));
    visit(&self.m_any, sizeof(bool));
}

// Calls it on the parts that these slices have written.
template <class Self, class Visit>
void VolumeSummary::visitSlices(Self& self, const std::vector<IndexRange>& slices,
                                const Visit& visit) {
    const auto [nX, nY, nZ] = self.m_grid.voxels;
    const Index layer = self.m_previewGrid.voxels[0] * self.m_previewGrid.voxels[1];
    const auto visitFloats = [&](auto& values, Index first, Index count) {
        visit(values.data() + first, static_cast<std::size_t>(count) * sizeof(float));
    };
    for (const IndexRange& range : slices)
        for (Index z = range.begin; z < range.end; ++z) {
            if (z == nZ / 2) visitFloats(self.m_slices[0].values, 0, nX * nY);
            visitFloats(self.m_slices[1].values, (nZ - 1 - z) * nX, nX);
            visitFloats(self.m_slices[2].values, (nZ - 1 - z) * nY, nY);
            if (z % self.m_stride[2] == 0)
                visitFloats(self.m_preview, z / self.m_stride[2] * layer, layer);
        }
}

std::string VolumeSummary::save() const {
    std::string bytes;
    bytes.reserve(sizeOf([this](const auto& visit) { visitParts(*this, visit); }));
    visitParts(*this, appendTo(bytes));
    return bytes;
}

void VolumeSummary::restore(std::string_view bytes) {
    requireSize(bytes, sizeOf([this](const auto& visit) { visitParts(*this, visit); }));
    visitParts(*this, copyFrom(bytes));
}

std::string VolumeSummary::saveSlices(const std::vector<IndexRange>& slices) const {
    std::string bytes;
    visitSlices(*this, slices, appendTo(bytes));
    appendTo(bytes)(&m_smallest, sizeof(float));
    appendTo(bytes)(&m_largest, sizeof(float));
    return bytes;
}

void VolumeSummary::addSaved(const std::vector<IndexRange>& slices, std::string_view bytes) {
    requireSize(bytes, 2 * sizeof(float) +
                           sizeOf([&](const auto& visit) { visitSlices(*this, slices, visit); }));
    visitSlices(*this, slices, copyFrom(bytes));
    float smallest = 0;
    float largest = 0;
    copyFrom(bytes)(&smallest, sizeof(float));
    copyFrom(bytes)(&largest, sizeof(float));
    takeRange(smallest, largest);
}

void VolumeSummary::takeRange(float smallest, float largest) {
    const std::scoped_lock lock(m_mutex);
    m_smallest = m_any ? std::min(m_smallest, smallest) : smallest;
    m_largest = m_any ? std::max(m_largest, largest) : largest;
    m_any = true;
}

void VolumeSummary::add(Index zBegin, Span3<const float> slices, int threads) {
    constexpr Index kPieceVoxels = 512 * 1024;  // there may be more threads than slices
    parallelFor(threads, slices.count(), kPieceVoxels,
                [&](Index begin, Index end, int) { addRange(slices.data() + begin, end - begin); });
    parallelFor(threads, slices.size(0), 1, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i)
            addSlice(zBegin + i, slices.row(i, 0));
    });
}

void VolumeSummary::addRange(const float* values, Index count) {
    // The loop has lanes that the compiler turns into SIMD; a volume has no NaN.
    constexpr Index kLanes = 16;
    float low[kLanes];
    float high[kLanes];
    std::fill_n(low, kLanes, values[0]);
    std::fill_n(high, kLanes, values[0]);
    const Index whole = count / kLanes * kLanes;
    for (Index i = 0; i < whole; i += kLanes)
        for (Index lane = 0; lane < kLanes; ++lane) {
            const float value = values[i + lane];
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
        }
    const auto [restLow, restHigh] =
        std::minmax_element(values + std::min(whole, count - 1), values + count);
    takeRange(std::min(*restLow, *std::min_element(low, low + kLanes)),
              std::max(*restHigh, *std::max_element(high, high + kLanes)));
}

void VolumeSummary::addSlice(Index z, const float* slice) {
    const auto [nX, nY, nZ] = m_grid.voxels;
    if (z == nZ / 2)
        for (Index y = 0; y < nY; ++y)
            std::copy_n(slice + y * nX, nX, m_slices[0].values.data() + (nY - 1 - y) * nX);
    std::copy_n(slice + nY / 2 * nX, nX, m_slices[1].values.data() + (nZ - 1 - z) * nX);
    for (Index y = 0; y < nY; ++y)
        m_slices[2].values[(nZ - 1 - z) * nY + y] = slice[y * nX + nX / 2];
    if (z % m_stride[2] != 0) return;
    float* out =
        m_preview.data() + z / m_stride[2] * m_previewGrid.voxels[0] * m_previewGrid.voxels[1];
    for (Index y = 0; y < nY; y += m_stride[1])
        for (Index x = 0; x < nX; x += m_stride[0])
            *out++ = slice[y * nX + x];
}

}  // namespace gantry
