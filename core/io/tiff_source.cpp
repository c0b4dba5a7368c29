#include "core/io/tiff_source.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "core/base/parallel.h"

namespace gantry {

namespace {

// What one file holds, or why it cannot be used.
struct Headers {
    std::vector<TiffImage> images;
    Index sizeBytes = 0;
    std::exception_ptr error;
};

Headers readHeaders(const std::filesystem::path& file) {
    Headers headers;
    try {
        TiffReader reader(file);
        headers.images = reader.images();
        headers.sizeBytes = reader.sizeBytes();
    } catch (...) {
        headers.error = std::current_exception();
    }
    return headers;
}

}  // namespace

TiffSource::TiffSource(std::vector<std::filesystem::path> files, const OpenOptions& options)
    : m_files(std::move(files)), m_options(options) {
    std::vector<Headers> headers(m_files.size());
    const auto count = static_cast<Index>(m_files.size());
    parallelFor(availableThreads(), count, 16, [&](Index begin, Index end, int) {
        for (Index i = begin; i < end; ++i)
            headers[static_cast<std::size_t>(i)] =
                readHeaders(m_files[static_cast<std::size_t>(i)]);
    });
    m_info.readsRowsAlone = true;
    for (std::size_t file = 0; file < m_files.size(); ++file) {
        if (headers[file].error) std::rethrow_exception(headers[file].error);
        addFile(file, std::move(headers[file].images));
        m_info.storedBytes += headers[file].sizeBytes;
    }
    const TiffImage& first = m_views.front().header;
    m_info.views = static_cast<Index>(m_views.size());
    m_info.rows = m_shape.rows;
    m_info.columns = m_shape.columns;
    m_info.pixelType = m_shape.type;
    m_info.format = fmt::format("TIFF, {}, {}{}", describe(m_shape.type), first.compression,
                                first.tiled ? ", tiled" : "");
}

void TiffSource::addFile(std::size_t file, std::vector<TiffImage> images) {
    m_imagesInFile.push_back(static_cast<Index>(images.size()));
    for (std::size_t i = 0; i < images.size(); ++i) {
        const ImageShape shape{images[i].columns, images[i].rows, images[i].type};
        m_info.readsRowsAlone = m_info.readsRowsAlone && images[i].readsRowsAlone;
        m_views.push_back({file, static_cast<Index>(i), std::move(images[i])});
        if (m_views.size() == 1) m_shape = shape;
        checkSameShape(m_shape, viewName(0), shape,
                       viewName(static_cast<Index>(m_views.size()) - 1));
    }
}

void TiffSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    const View& wanted = m_views[static_cast<std::size_t>(view)];
    HostBuffer<std::byte> scratch = m_scratch.take();
    TiffReader(m_files[wanted.file], wanted.header)
        .readRows(wanted.header, imageRows(rows, m_shape.rows, m_options.firstRowIsTop), pixels,
                  scratch);
    m_scratch.giveBack(std::move(scratch));
    if (m_options.firstRowIsTop) reverseRows(pixels, rows.size());
}

std::string TiffSource::viewName(Index view) const {
    const View& wanted = m_views[static_cast<std::size_t>(view)];
    std::string file = m_files[wanted.file].string();
    if (m_imagesInFile[wanted.file] == 1) return file;
    return fmt::format("{}, image {}", file, wanted.image + 1);
}

}  // namespace gantry
