#include "core/io/volume/volume_levels.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/zarr/pyramid_writer.h"
#include "core/io/zarr/zarr_image.h"
#include "core/io/zarr/zarr_volume.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Every `step`th voxel of a volume, from the middle of the first block on. The last voxel stands in
// where a block at the far end is cut.
struct Sampling {
    Index step = 1;

    [[nodiscard]] Index voxel(Index i, Index count) const {
        return std::min(i * step + step / 2, count - 1);
    }
};

class FlatLevels final : public VolumeLevels {
  public:
    explicit FlatLevels(StoredVolume volume) : m_volume(std::move(volume)) {
        Index step = 1;
        do {
            m_grids.push_back(coarsened(m_volume.grid, step));
            step *= 2;
        } while (*std::ranges::max_element(m_grids.back().voxels) > kCoarsestVoxels);
    }

    [[nodiscard]] const std::vector<VolumeGrid>& grids() const override { return m_grids; }

  private:
    [[nodiscard]] std::array<Index, 3> pieceVoxels(Index level) const override {
        const VolumeGrid& grid = m_grids[level];
        return {grid.voxels[0], grid.voxels[1], 1};
    }

    // Rows are read one by one if rows between them are left out, so that those need not be
    // unpacked.
    void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                 int threads) const override {
        const Sampling sampling{Index{1} << level};
        const int readers = m_volume.slices->info().readsRowsAlone ? threads : 1;
        parallelFor(readers, box.z.size(), 1,
                    [&](Index z, Index, int) { readSlice(sampling, z, box, voxels); });
    }

    void readSlice(Sampling sampling, Index z, const VoxelBox& box, Span3<float> voxels) const {
        const auto [nX, nY, nZ] = m_volume.grid.voxels;
        const Index from = sampling.voxel(box.z.begin + z, nZ);
        const IndexRange rows{sampling.voxel(box.y.begin, nY),
                              sampling.voxel(box.y.end - 1, nY) + 1};
        const Index voxelBytes = sizeBytes(m_volume.encoding.type);
        const Index rowBytes = nX * voxelBytes;
        const bool together = sampling.step == 1 || !m_volume.slices->info().readsRowsAlone;
        HostBuffer<std::byte> stored((together ? rows.size() : 1) * rowBytes);
        if (together) m_volume.slices->readRows(from, rows, stored.span());
        HostBuffer<std::byte> picked(box.x.size() * voxelBytes);
        for (Index y = 0; y < box.y.size(); ++y) {
            const Index row = sampling.voxel(box.y.begin + y, nY);
            if (!together) m_volume.slices->readRows(from, {row, row + 1}, stored.span());
            const std::byte* const at =
                stored.data() + (together ? row - rows.begin : 0) * rowBytes;
            for (Index x = 0; x < box.x.size(); ++x)
                std::copy_n(at + sampling.voxel(box.x.begin + x, nX) * voxelBytes, voxelBytes,
                            picked.data() + x * voxelBytes);
            decode(m_volume.encoding, picked.span(),
                   {voxels.row(z, y), static_cast<std::size_t>(box.x.size())});
        }
    }

    StoredVolume m_volume;
    std::vector<VolumeGrid> m_grids;
};

// Splits a range at the ends of pieces of that length, counted from 0.
std::vector<IndexRange> piecesOf(IndexRange range, Index length) {
    std::vector<IndexRange> pieces;
    for (Index begin = range.begin; begin < range.end; begin = pieces.back().end)
        pieces.push_back({begin, std::min(range.end, (begin / length + 1) * length)});
    return pieces;
}

bool liesIn(IndexRange range, Index count) {
    return range.begin >= 0 && range.begin <= range.end && range.end <= count;
}

}  // namespace

VolumeGrid gridOf(const VolumeGrid& level, const VoxelBox& box) {
    VolumeGrid part = level;
    const IndexRange ranges[] = {box.x, box.y, box.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        part.voxels[axis] = ranges[axis].size();
        const auto twice = ranges[axis].begin + ranges[axis].end - level.voxels[axis];
        part.centerMm[axis] += static_cast<double>(twice) / 2 * level.pitchMm[axis];
    }
    return part;
}

void VolumeLevels::read(Index level, const VoxelBox& box, Span3<float> voxels, int threads) const {
    require(level >= 0 && level < static_cast<Index>(grids().size()),
            "a level that a volume does not have was to be read");
    const auto [nX, nY, nZ] = grids()[level].voxels;
    require(liesIn(box.x, nX) && liesIn(box.y, nY) && liesIn(box.z, nZ),
            "voxels that a volume does not have were to be read");
    require(voxels.size(0) == box.z.size() && voxels.size(1) == box.y.size() &&
                voxels.size(2) == box.x.size(),
            "the buffer for a box of voxels has another size");
    if (voxels.count() > 0) readBox(level, box, voxels, threads);
}

std::optional<InputError> VolumeLevels::readIntact(Index level, const VoxelBox& box,
                                                   Span3<float> voxels, int threads) const {
    try {
        read(level, box, voxels, threads);
        return std::nullopt;
    } catch (const InputError&) {
        // Reads piece by piece below.
    }
    const std::array<Index, 3> piece = pieceVoxels(level);
    std::optional<InputError> first;
    for (const IndexRange& z : piecesOf(box.z, piece[2]))
        for (const IndexRange& y : piecesOf(box.y, piece[1]))
            for (const IndexRange& x : piecesOf(box.x, piece[0])) {
                HostBuffer<float> part(x.size() * y.size() * z.size());
                try {
                    read(level, {x, y, z}, {part.data(), z.size(), y.size(), x.size()}, threads);
                } catch (const InputError& error) {
                    if (!first) first = error;
                    std::fill_n(part.data(), part.count(), std::numeric_limits<float>::quiet_NaN());
                }
                const float* row = part.data();
                for (Index k = z.begin; k < z.end; ++k)
                    for (Index j = y.begin; j < y.end; ++j, row += x.size())
                        std::copy_n(
                            row, x.size(),
                            voxels.row(k - box.z.begin, j - box.y.begin) + x.begin - box.x.begin);
            }
    return first;
}

std::unique_ptr<VolumeLevels> openVolumeLevels(const fs::path& path) {
    if (isZarr(path)) return openZarrLevels(path);
    return std::make_unique<FlatLevels>(openStoredVolume(path));
}

}  // namespace gantry
