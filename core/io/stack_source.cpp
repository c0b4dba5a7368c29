#include "core/io/stack_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"

namespace gantry {

namespace fs = std::filesystem;

std::vector<ImageStack> readStacks(const std::vector<fs::path>& files, const ChooseParts& choose,
                                   const ReadStack& read) {
    std::vector<ImageStack> found(files.size());  // empty for a file that cannot be read
    std::vector<SeriesPart> parts;
    for (std::size_t i = 0; i < files.size(); ++i) {
        try {
            found[i] = read(files[i]);
            parts.push_back({i, SeriesPart::kWholeFile, found[i].images, found[i].shape()});
        } catch (const InputError&) {
            parts.push_back({i, SeriesPart::kWholeFile, 0, {}, std::current_exception()});
        }
    }
    std::vector<ImageStack> stacks;
    for (const std::size_t part : choose(files, parts).parts)
        stacks.push_back(std::move(found[part]));
    return stacks;
}

StackSource::StackSource(std::vector<ImageStack> stacks, std::string format, std::string_view image,
                         const OpenOptions& options)
    : m_image(image), m_options(options), m_shape(stacks.front().shape()) {
    m_info.rows = m_shape.rows;
    m_info.columns = m_shape.columns;
    m_info.pixelType = m_shape.type;
    m_info.format = std::move(format);
    for (ImageStack& stack : stacks) {
        m_info.isCompressed = m_info.isCompressed || stack.pixels.compressed;
        m_info.storedBytes += stack.storedBytes;
        const Index images = stack.images;
        m_parts.push_back({std::move(stack), m_info.views});
        m_info.views += images;
    }
    m_info.readsRowsAlone = !m_info.isCompressed;
    if (m_parts.size() == 1)
        m_onlyReader = std::make_unique<PixelReader>(m_parts.front().stack.pixels);
}

const StackSource::Part& StackSource::partOf(Index view) const {
    const auto after =
        std::upper_bound(m_parts.begin(), m_parts.end(), view,
                         [](Index v, const Part& part) { return v < part.firstView; });
    return *std::prev(after);
}

void StackSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    checkRequest(m_shape, m_info.views, view, rows, pixels);
    const Part& part = partOf(view);
    const IndexRange stored = imageRows(rows, m_shape.rows, m_options.firstRowIsTop);
    const Index firstRow = (view - part.firstView) * m_shape.rows + stored.begin;
    if (m_onlyReader)
        m_onlyReader->read(firstRow * m_shape.columns, pixels);
    else
        PixelReader(part.stack.pixels).read(firstRow * m_shape.columns, pixels);
    putInOrder(pixels, rows.size(), m_shape, m_options);
}

std::string StackSource::viewName(Index view) const {
    const Part& part = partOf(view);
    std::string file = part.stack.file.string();
    if (part.stack.images == 1) return file;
    return fmt::format("{}, {} {}", file, m_image, view - part.firstView);
}

}  // namespace gantry
