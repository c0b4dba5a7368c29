#include "core/io/volume/flat_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/file.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

FlatSlices::FlatSlices(StoredPixels voxels, const std::array<Index, 3>& size,
                       std::filesystem::path file, std::string_view format)
    : m_file(std::move(file)),
      m_voxels(std::move(voxels)),
      m_shape{size[0], size[1], m_voxels.stored().type} {
    const StoredPixels& stored = m_voxels.stored();
    m_info.views = size[2];
    m_info.rows = size[1];
    m_info.columns = size[0];
    m_info.pixelType = stored.type;
    m_info.format = fmt::format("{}, {}{}", format, describe(stored.type),
                                stored.compressed ? ", compressed" : "");
    m_info.readsRowsAlone = !stored.compressed;
    m_info.storedBytes = stored.storedBytes;
}

void FlatSlices::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    m_voxels.read((view * m_info.rows + rows.begin) * m_info.columns, pixels);
}

std::string FlatSlices::viewName(Index view) const {
    return fmt::format("{}, slice {}", m_file.string(), view);
}

StoredVolume openFlatVolume(const std::filesystem::path& file, std::string_view format,
                            const VolumeGrid& grid, const VoxelEncoding& encoding,
                            StoredPixels voxels) {
    const auto [nX, nY, nZ] = grid.voxels;
    Index bytes = sizeBytes(encoding.type);
    const bool fits = nX > 0 && nY > 0 && nZ > 0 && !__builtin_mul_overflow(bytes, nX, &bytes) &&
                      !__builtin_mul_overflow(bytes, nY, &bytes) &&
                      !__builtin_mul_overflow(bytes, nZ, &bytes);
    if (!fits)
        refuseVolume(
            file, fmt::format("{} × {} × {} voxels are not a volume that fits a file", nX, nY, nZ));
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!std::isfinite(grid.pitchMm[axis]) || grid.pitchMm[axis] <= 0 ||
            !std::isfinite(grid.centerMm[axis]))
            refuseVolume(file, fmt::format("its voxels are {} mm apart along axis {}, about {} mm; "
                                           "the first must be greater than 0, both finite",
                                           grid.pitchMm[axis], axis + 1, grid.centerMm[axis]));
    if (!std::isfinite(encoding.slope) || !std::isfinite(encoding.intercept))
        refuseVolume(file, fmt::format("its slope {} and intercept {} must be finite",
                                       encoding.slope, encoding.intercept));
    voxels.type = encoding.type;
    voxels.count = grid.count();
    const Index present =
        std::max<Index>(0, File(voxels.path, File::Mode::read).sizeBytes() - voxels.offsetBytes);
    voxels.storedBytes = voxels.compressed ? present : bytes;
    // A stream of zlib holds at most 1032 times its size; a header that claims more is damaged.
    if (present < (voxels.compressed ? bytes / 1040 : bytes))
        refuseVolume(file, fmt::format("its voxels need {} bytes, and {} has {} for them", bytes,
                                       voxels.path.filename().string(), present));
    return {grid, encoding,
            std::make_unique<FlatSlices>(std::move(voxels), grid.voxels, file, format)};
}

}  // namespace gantry
