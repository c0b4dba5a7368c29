#include "core/io/metaimage/metaimage_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

MetaImageHeader readProjectionHeader(const fs::path& file) {
    MetaImageHeader header = readMetaImageHeader(file);
    if (header.slope != 1 || header.intercept != 0)
        throw FileError(
            file, fmt::format("holds scaled values (slope {}, intercept {}), as a volume does; "
                              "projections must be stored as they are",
                              header.slope, header.intercept));
    return header;
}

// Fields stand as "Name = value", one a line; NDims is among the first.
bool isMetaImage(const fs::path& /*file*/, std::string_view begin) {
    const auto found = begin.find("NDims");
    if (found == std::string_view::npos) return false;
    if (found != 0 && begin[found - 1] != '\n') return false;
    const auto next = begin.find_first_not_of(" \t", found + 5);
    return next != std::string_view::npos && begin[next] == '=';
}

}  // namespace

MetaImageSource::MetaImageSource(const std::vector<fs::path>& files, const OpenOptions& options,
                                 const ChooseParts& choose)
    : m_options(options) {
    std::vector<MetaImageHeader> headers(files.size());
    std::vector<SeriesPart> parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
        try {
            MetaImageHeader& header = headers[i] = readProjectionHeader(files[i]);
            parts.push_back({i,
                             SeriesPart::kWholeFile,
                             header.size[2],
                             {header.size[0], header.size[1], header.type}});
        } catch (const InputError&) {
            parts.push_back({i, SeriesPart::kWholeFile, 0, {}, std::current_exception()});
        }
    }
    const UsableParts usable = choose(files, parts);
    m_shape = usable.shape;
    m_info.readsRowsAlone = true;
    for (const std::size_t part : usable.parts) {
        MetaImageHeader& header = headers[part];
        m_info.readsRowsAlone = m_info.readsRowsAlone && !header.compressed;
        m_info.isCompressed = m_info.isCompressed || header.compressed;
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

ProjectionFormat metaImageProjections() {
    return {
        "MetaImage", {".mha", ".mhd"}, {{".mhd", ".raw"}}, isMetaImage, openAs<MetaImageSource>};
}

}  // namespace gantry
