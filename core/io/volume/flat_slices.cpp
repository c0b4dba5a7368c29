#include "core/io/volume/flat_slices.h"

#include <fmt/format.h>

#include <utility>

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

}  // namespace gantry
