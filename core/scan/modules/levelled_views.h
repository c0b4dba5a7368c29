#pragma once

#include <memory>
#include <vector>

#include "core/io/projection_source.h"

namespace gantry {

struct OpenScan;

/// The views of a scan of attenuation, in float, with an image taken off each: its modules'
/// offsets, for which counts have flat fields.
class LevelledViews final : public ProjectionSource {
  public:
    /// offsets: [v][u]
    LevelledViews(std::shared_ptr<const OpenScan> stored, std::vector<float> offsets);

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override;
    /// @throws ViewError as readStoredRows()
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;

  private:
    std::shared_ptr<const OpenScan> m_stored;
    std::vector<float> m_offsets;
    SourceInfo m_info;
};

}  // namespace gantry
