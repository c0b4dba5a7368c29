#include "core/scan/modules/levelled_views.h"

#include <cstring>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_stages.h"

namespace gantry {

LevelledViews::LevelledViews(std::shared_ptr<const OpenScan> stored, std::vector<float> offsets)
    : m_stored(std::move(stored)), m_offsets(std::move(offsets)), m_info(m_stored->source->info()) {
    m_info.pixelType = PixelType::float32;
}

std::string LevelledViews::viewName(Index view) const {
    return m_stored->source->viewName(view);
}

void LevelledViews::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    HostBuffer<std::byte> stored(rows.size() * m_stored->storedRowBytes());
    readStoredRows(*m_stored, view, rows, stored.span());
    HostBuffer<float> values(rows.size() * m_info.columns);
    toFloat(m_stored->stored.pixelType, stored.span(), values.span());
    const float* offsets = m_offsets.data() + rows.begin * m_info.columns;
    for (Index i = 0; i < values.count(); ++i)
        values[i] -= offsets[i];
    std::memcpy(pixels.data(), values.data(), pixels.size());
}

}  // namespace gantry
