#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/prep/calibration.h"

namespace gantry {

/// How the values of dead pixels are made from good ones: worked out once for a detector, applied
/// to the line integrals of each view. A pixel is interpolated linearly between the nearest good
/// pixels of its row, and between those of its column up to kReachRows away; of the two, the
/// shorter gap counts more. So whole dead rows come from the rows above and below, whole dead
/// columns from left and right, and blocks from all sides. Beside the detector's edge there is only
/// one side. Pixels that are dead in one view are dead in all, so other views cannot help.
/// Tests: tests/core/prep/pixel_repair_test.cpp
class PixelRepair {
  public:
    /// A column is searched for good pixels up to this far.
    static constexpr Index kReachRows = 64;

    /// @returns null where dead pixels are single ones of a row: these have the mean of the pixels
    ///          to the left and right, or of the only one, by conversion to line integrals
    [[nodiscard]] static std::shared_ptr<const PixelRepair> of(
        const DetectorCalibration& calibration);

    /// These rows, with the rows around them that their dead pixels are made from.
    [[nodiscard]] IndexRange rowsFor(IndexRange rows) const;

    /// Replaces the dead pixels of rows [firstRow, …) by others of these rows; where a row beyond
    /// them would be needed (see rowsFor()), the sources within them have to do.
    /// view: line integrals, [1][v][u], all columns. Several threads may call it.
    void apply(Index firstRow, Span3<float> view) const;

    [[nodiscard]] Index sizeBytes() const;

  private:
    // A dead pixel and its sources: to the left and right in its row, in lower and higher rows of
    // its column. A source that is not used has the weight 0.
    struct Pixel {
        std::int32_t column;
        std::int32_t left;
        std::int32_t right;
        std::int32_t below;
        std::int32_t above;
        float weights[4];
    };

    explicit PixelRepair(Index rows);
    void plan(const DetectorCalibration& calibration);

    std::vector<Index> m_firstPixel;   ///< [row], and the number of pixels
    std::vector<IndexRange> m_needed;  ///< [row]: it and the rows that it is made from
    std::vector<Pixel> m_pixels;       ///< by row and column
};

/// Neighbouring rows of a detector without one good pixel.
struct DeadRows {
    IndexRange rows;
    bool isKnown = false;  ///< interpolated between good rows on both sides

    friend bool operator==(const DeadRows&, const DeadRows&) = default;
};

/// All rows without a good pixel. Those that are next to no good row within PixelRepair::kReachRows
/// on one side, as at the edge of the detector, are not known.
[[nodiscard]] std::vector<DeadRows> deadRowsOf(const DetectorCalibration& calibration);

}  // namespace gantry
