#include "core/io/memory_source.h"

#include <fmt/format.h>

#include <cstring>

namespace gantry {

MemorySource::MemorySource(Span3<const float> views) : m_views(views) {
    m_info.views = views.size(0);
    m_info.rows = views.size(1);
    m_info.columns = views.size(2);
    m_info.pixelType = PixelType::float32;
    m_info.format = "memory, 32-bit float";
    m_info.readsRowsAlone = true;
    m_info.storedBytes = views.count() * Index{sizeof(float)};
}

void MemorySource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    std::memcpy(pixels.data(), m_views.row(view, rows.begin),
                static_cast<std::size_t>(rows.size() * m_info.columns) * sizeof(float));
}

std::string MemorySource::viewName(Index view) const {
    return fmt::format("view {} in memory", view);
}

}  // namespace gantry
