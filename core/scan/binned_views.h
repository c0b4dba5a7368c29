#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/io/projection_source.h"
#include "core/prep/calibration.h"
#include "core/prep/pixel_repair.h"

namespace gantry {

struct OpenScan;
class AirBeams;

/// Averages bin × bin pixels of a detector, without its dead pixels and values that are not finite.
/// Several threads may use it. Tests: tests/core/scan/binned_scan_test.cpp
class PixelBinner {
  public:
    /// calibration: of the detector; of it only the size and the dead pixels are taken
    PixelBinner(const DetectorCalibration& calibration, Index bin);

    /// Makes a row of averages. One that is made of no pixel is NaN.
    /// values: `bin` rows of the detector, and one more that is overwritten; out: its columns / bin
    void average(Index row, std::span<float> values, std::span<float> out) const;

  private:
    Index m_bin;
    Index m_columns;                               ///< of the detector
    std::vector<std::vector<std::size_t>> m_dead;  ///< [row of averages] places in its values
};

/// What belongs to the pixels of a binned detector, made once for all scans on the same files.
struct BinnedFields {
    Index bin = 1;
    std::shared_ptr<const PixelBinner> binner;
    /// A pixel is dead where all that it is made of are.
    std::shared_ptr<const DetectorCalibration> calibration;
    std::shared_ptr<const PixelRepair> repair;
    std::shared_ptr<AirBeams> airBeams;
};

/// Keeps the fields of the last binning that was asked for. Several threads may use it.
class BinnedFieldsOfScan {
  public:
    /// stored: of the files, the same in every call
    [[nodiscard]] BinnedFields of(const DetectorCalibration& stored, Index bin);

  private:
    std::mutex m_mutex;
    BinnedFields m_last;
};

/// The views of a scan with bin × bin pixels averaged: counts before their logarithm, as larger
/// pixels would count them, and line integrals as they are, whose mean has no error at edges, as
/// the logarithm of a mean has. In float, so that no fraction is lost.
class BinnedViews final : public ProjectionSource {
  public:
    BinnedViews(std::shared_ptr<const OpenScan> stored, const BinnedFields& fields);
    ~BinnedViews() override;

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override;
    /// @throws ViewError as readStoredRows()
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;

  private:
    struct Buffers;

    [[nodiscard]] std::unique_ptr<Buffers> takeBuffers() const;

    std::shared_ptr<const OpenScan> m_stored;
    Index m_bin;
    std::shared_ptr<const PixelBinner> m_binner;
    SourceInfo m_info;
    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<Buffers>> m_free;  ///< of threads that have read
};

}  // namespace gantry
