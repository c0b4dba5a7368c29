#pragma once

#include <cstring>
#include <string>

#include "core/base/span3.h"
#include "core/io/projection_source.h"

namespace gantry {

/// Views that are in memory.
/// Tests: tests/core/recon/in_memory_test.cpp
class MemorySource final : public ProjectionSource {
  public:
    /// views: counts or line integrals; [s][v][u], v up, u fastest; outlive the source
    explicit MemorySource(Span3<const float> views) : m_views(views) {
        m_info.views = views.size(0);
        m_info.rows = views.size(1);
        m_info.columns = views.size(2);
        m_info.pixelType = PixelType::float32;
        m_info.format = "memory, 32-bit float";
        m_info.readsRowsAlone = true;
        m_info.storedBytes = views.count() * Index{sizeof(float)};
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        std::memcpy(pixels.data(), m_views.row(view, rows.begin),
                    static_cast<std::size_t>(rows.size() * m_info.columns) * sizeof(float));
    }
    [[nodiscard]] std::string viewName(Index view) const override {
        return "view " + std::to_string(view) + " in memory";
    }

  private:
    Span3<const float> m_views;
    SourceInfo m_info;
};

}  // namespace gantry
