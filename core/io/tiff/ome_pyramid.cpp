#include "core/io/tiff/ome_pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_buffer.h"
#include "core/io/zarr/pyramid_writer.h"

namespace gantry {

namespace {

// The mean of the finite values in each block of two columns and up to two rows.
std::vector<float> halved(std::span<const float> first, std::span<const float> second,
                          bool isRounded) {
    std::vector<float> half((first.size() + 1) / 2);
    for (std::size_t i = 0; i < half.size(); ++i) {
        double sum = 0;
        int count = 0;
        for (const std::span<const float> row : {first, second})
            for (std::size_t x = 2 * i; x < std::min(2 * i + 2, row.size()); ++x)
                if (std::isfinite(row[x])) {
                    sum += static_cast<double>(row[x]);
                    ++count;
                }
        const double mean = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
        half[i] = static_cast<float>(isRounded ? std::floor(mean + 0.5) : mean);
    }
    return half;
}

// Rows of stored values go in from the top; those of the smaller levels come out as soon as the two
// above them are there.
class RowPyramid {
  public:
    using Write = std::function<void(Index offset, std::span<const std::byte> bytes)>;

    RowPyramid(std::vector<OmeLevel> levels, PixelType type, Index z, const Write& write)
        : m_levels(std::move(levels)),
          m_type(type),
          m_z(z),
          m_write(write),
          m_waiting(m_levels.size()),
          m_rowsMade(m_levels.size()) {}

    void add(std::vector<float> row, std::size_t level = 0) {
        if (level == m_levels.size()) return;
        if (m_waiting[level].empty()) {
            m_waiting[level] = std::move(row);
            return;
        }
        make(level, row);
    }
    // The last one of an odd number of rows has none below it.
    void end() {
        for (std::size_t level = 0; level < m_levels.size(); ++level)
            if (!m_waiting[level].empty()) make(level, {});
    }

  private:
    void make(std::size_t level, std::span<const float> below) {
        std::vector<float> row = halved(m_waiting[level], below, isInteger(m_type));
        m_waiting[level].clear();
        const OmeLevel& own = m_levels[level];
        const Index rowBytes = own.columns * sizeBytes(m_type);
        HostBuffer<std::byte> bytes(rowBytes);
        // Whole numbers are stored as they are by a slope of 1.
        encode({m_type, 1, 0}, row, bytes.span());
        m_write(own.begin + m_z * own.sliceBytes(m_type) + m_rowsMade[level] * rowBytes,
                bytes.span());
        ++m_rowsMade[level];
        add(std::move(row), level + 1);
    }

    std::vector<OmeLevel> m_levels;
    PixelType m_type;
    Index m_z;
    const Write& m_write;
    std::vector<std::vector<float>> m_waiting;  // the row above, by level
    std::vector<Index> m_rowsMade;
};

}  // namespace

std::vector<OmeLevel> omeLevels(const VolumeGrid& grid, PixelType type) {
    std::vector<OmeLevel> levels;
    OmeLevel next{grid.voxels[0], grid.voxels[1], 0};
    while (std::max(next.columns, next.rows) > kCoarsestVoxels) {
        next.columns = (next.columns + 1) / 2;
        next.rows = (next.rows + 1) / 2;
        levels.push_back(next);
        next.begin += grid.voxels[2] * next.sliceBytes(type);
    }
    return levels;
}

Index omeLevelBytes(const VolumeGrid& grid, PixelType type) {
    Index bytes = 0;
    for (const OmeLevel& level : omeLevels(grid, type))
        bytes += grid.voxels[2] * level.sliceBytes(type);
    return bytes;
}

void makeOmeLevels(
    const VolumeGrid& grid, const VoxelEncoding& encoding, Index z, std::span<const float> slice,
    const std::function<void(Index offset, std::span<const std::byte> bytes)>& write) {
    RowPyramid pyramid(omeLevels(grid, encoding.type), encoding.type, z, write);
    const auto columns = static_cast<std::size_t>(grid.voxels[0]);
    HostBuffer<std::byte> stored(grid.voxels[0] * sizeBytes(encoding.type));
    for (std::size_t begin = 0; begin < slice.size(); begin += columns) {
        encode(encoding, slice.subspan(begin, columns), stored.span());
        std::vector<float> row(columns);
        toFloat(encoding.type, stored.span(), row);
        pyramid.add(std::move(row));
    }
    pyramid.end();
}

}  // namespace gantry
