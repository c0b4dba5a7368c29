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
#include "core/prep/pixel_selection.h"

namespace gantry {

struct OpenScan;
class AirBeams;
class ModuleLevels;

/// Averages pixels of a part of a detector, without its dead pixels and values that are not finite.
/// Several threads may use it. Tests: tests/core/scan/selected_pixels_test.cpp
class PixelBinner {
  public:
    /// calibration: of the detector; of it only the dead pixels are taken
    /// block: lies on it; as many pixels along each side are averaged
    PixelBinner(const DetectorCalibration& calibration, const PixelBlock& block);

    [[nodiscard]] const PixelBlock& block() const { return m_block; }
    [[nodiscard]] Index bin() const { return m_block.binning[0]; }
    /// Columns of the detector in the part.
    [[nodiscard]] Index columns() const { return m_block.count[0] * bin(); }
    /// Makes a row of averages. One that is made of no pixel is NaN.
    /// values: the part's columns in `bin` rows, and one row more that is overwritten
    void average(Index row, std::span<float> values, std::span<float> out) const;

  private:
    PixelBlock m_block;
    std::vector<std::vector<std::size_t>> m_dead;  ///< [row of averages] places in its values
};

/// What belongs to selected pixels of a detector, made once for all scans on the same files.
struct SelectedFields {
    PixelSelection selection = {};
    std::shared_ptr<const PixelBinner> binner;
    /// A binned pixel is dead only if all pixels in it are.
    std::shared_ptr<const DetectorCalibration> calibration;
    std::shared_ptr<const PixelRepair> repair;
    std::shared_ptr<AirBeams> airBeams;
    std::shared_ptr<ModuleLevels> moduleLevels;
};

/// Keeps the fields of the last selection that was asked for. Several threads may use it.
class SelectedFieldsOfScan {
  public:
    /// stored: of the files, the same in every call
    /// @throws InputError as blockOf()
    [[nodiscard]] SelectedFields of(const DetectorCalibration& stored,
                                    const PixelSelection& selection);

  private:
    std::mutex m_mutex;
    SelectedFields m_last;
};

/// The selected pixels of a scan's views. Counts are averaged before the logarithm is taken, as
/// larger pixels would count; line integrals are averaged directly, which has no error at edges as
/// the logarithm of a mean has. Values are floats, so that no fraction is lost.
class SelectedPixels final : public ProjectionSource {
  public:
    SelectedPixels(std::shared_ptr<const OpenScan> stored, const SelectedFields& fields);
    ~SelectedPixels() override;

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    [[nodiscard]] std::string viewName(Index view) const override;
    /// @throws ViewError as readStoredRows()
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override;

  private:
    struct Buffers;

    [[nodiscard]] std::unique_ptr<Buffers> takeBuffers() const;

    std::shared_ptr<const OpenScan> m_stored;
    std::shared_ptr<const PixelBinner> m_binner;
    SourceInfo m_info;
    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<Buffers>> m_free;  ///< of threads that have read
};

}  // namespace gantry
