#include "core/io/metaimage_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace gantry {

namespace fs = std::filesystem;

MetaImageSource::MetaImageSource(const std::vector<fs::path>& files, const OpenOptions& options)
    : m_options(options) {
    m_info.readsRowsAlone = true;
    for (const fs::path& file : files) {
        MetaImageHeader header = readMetaImageHeader(file);
        if (header.slope != 1 || header.intercept != 0)
            throw InputError(
                fmt::format("{}: holds scaled values (slope {}, intercept {}), as a volume does; "
                            "projections must be stored as they are",
                            file.string(), header.slope, header.intercept));
        const ImageShape shape{header.size[0], header.size[1], header.type};
        if (m_parts.empty()) m_shape = shape;
        checkSameShape(m_shape, files.front().string(), shape, file.string());
        m_info.readsRowsAlone = m_info.readsRowsAlone && !header.compressed;
        m_info.storedBytes += header.storedBytes;
        const Index views = header.size[2];
        m_parts.push_back({std::move(header), m_info.views});
        m_info.views += views;
    }
    const MetaImageHeader& first = m_parts.front().header;
    if (m_parts.size() == 1) m_stack = std::make_unique<MetaImageVoxels>(first);
    m_info.rows = m_shape.rows;
    m_info.columns = m_shape.columns;
    m_info.pixelType = m_shape.type;
    m_info.format = fmt::format("MetaImage, {}{}", describe(m_shape.type),
                                first.compressed ? ", compressed" : "");
}

const MetaImageSource::Part& MetaImageSource::partOf(Index view) const {
    const auto after =
        std::upper_bound(m_parts.begin(), m_parts.end(), view,
                         [](Index v, const Part& part) { return v < part.firstView; });
    return *std::prev(after);
}

void MetaImageSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    const Part& part = partOf(view);
    const IndexRange stored = imageRows(rows, m_shape.rows, m_options.firstRowIsTop);
    const Index firstRow = (view - part.firstView) * m_shape.rows + stored.begin;
    if (m_stack)
        m_stack->read(firstRow * m_shape.columns, pixels);
    else
        MetaImageVoxels(part.header).read(firstRow * m_shape.columns, pixels);
    if (m_options.firstRowIsTop) reverseRows(pixels, rows.size());
}

std::string MetaImageSource::viewName(Index view) const {
    const Part& part = partOf(view);
    std::string file = part.header.path.string();
    if (part.header.size[2] == 1) return file;
    return fmt::format("{}, slice {}", file, view - part.firstView + 1);
}

}  // namespace gantry
