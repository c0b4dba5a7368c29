#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// An 8-bit colour picture, row 0 at the top.
struct Picture {
    Index width = 0;
    Index height = 0;
    std::vector<std::uint8_t> rgb;  ///< [row][column][3]

    Picture() = default;
    Picture(Index width, Index height, std::uint8_t grey);
    /// Copies another picture to (column, row); what sticks out is cut off.
    void paste(const Picture& other, Index column, Index row);
};

/// Values as greys, from black at `low` to white at `high`. values: [row][column].
[[nodiscard]] Picture greyPicture(const std::vector<float>& values, Index width, Index height,
                                  double low, double high);
/// Values as blue, white and red, white at zero and full colour at ±`max`.
[[nodiscard]] Picture differencePicture(const std::vector<float>& values, Index width, Index height,
                                        double max);
/// Nearest-neighbour stretch, for pixels that are not square or pictures that are small.
[[nodiscard]] Picture stretched(const Picture& picture, Index width, Index height);

[[nodiscard]] std::string toPng(const Picture& picture);

}  // namespace gantry
