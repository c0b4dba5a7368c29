#pragma once

#include <string>
#include <string_view>

#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/prep/calibration.h"

namespace gantry {

/// Pixels of a detector that turn out to be of no use while its images are looked at.
/// Tests: tests/core/scan/stuck_pixels_test.cpp, tests/core/scan/missing_pixels_test.cpp
class UnusablePixels {
  public:
    /// @throws ResourceError
    UnusablePixels(Index rows, Index columns);

    /// Takes a pixel, v · columns + u, that was not taken before.
    void add(Index pixel);
    [[nodiscard]] Index count() const { return m_count; }

    /// Marks them as bad; there are some. one, several: what is so with one pixel, "is missing", or
    /// with several of them. @returns a sentence that says where they are
    std::string takeForDead(DetectorCalibration& calibration, std::string_view one,
                            std::string_view several) const;

  private:
    Index m_columns;
    HostBuffer<unsigned char> m_mask;  // [v][u]
    IndexRange m_inColumns{0, 0};      // the smallest rectangle that holds them
    IndexRange m_inRows{0, 0};
    Index m_count = 0;
};

}  // namespace gantry
