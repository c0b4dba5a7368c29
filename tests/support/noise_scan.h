#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/scan/open_scan.h"

namespace gantry::test {

/// Views of 16-bit noise in memory: what is done with them must be right for any pixels.
class NoiseSource final : public ProjectionSource {
  public:
    NoiseSource(Index views, Index rows, Index columns)
        : m_counts(static_cast<std::size_t>(views * rows * columns)) {
        m_info.views = views;
        m_info.rows = rows;
        m_info.columns = columns;
        m_info.pixelType = PixelType::uint16;
        std::minstd_rand random(11);
        for (std::uint16_t& count : m_counts)
            count = static_cast<std::uint16_t>(random() % 50 == 0 ? 0 : random() % 65'536);
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        std::memcpy(pixels.data(),
                    m_counts.data() + (view * m_info.rows + rows.begin) * m_info.columns,
                    static_cast<std::size_t>(rows.size() * m_info.columns) * 2);
    }
    [[nodiscard]] std::string viewName(Index) const override { return "noise"; }

  private:
    SourceInfo m_info;
    std::vector<std::uint16_t> m_counts;
};

/// A scan of such views, some of whose pixels are zero, negative, saturated and bad.
inline OpenScan noiseScan(const ScanGeometry& geometry, FilterRows filterRows = FilterRows::own) {
    const auto& [columns, rows] = std::pair(geometry.detector.columns, geometry.detector.rows);
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = rows;
    calibration->columns = columns;
    calibration->dark = HostBuffer<float>(rows * columns);
    calibration->flat = HostBuffer<float>(rows * columns);
    calibration->bad = HostBuffer<unsigned char>(rows * columns);
    for (Index i = 0; i < rows * columns; ++i) {
        calibration->dark[i] = static_cast<float>(300 + i % 7);
        calibration->flat[i] = static_cast<float>(61'000 - i % 13);
        calibration->bad[i] = i % 97 == 5 ? 1 : 0;
    }
    calibration->saturation = 63'000;
    return openScan(geometry, std::make_shared<NoiseSource>(geometry.views(), rows, columns),
                    ProjectionKind::counts, calibration, filterRows);
}

}  // namespace gantry::test
