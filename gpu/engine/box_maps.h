#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/kernels/tile/tile.h"

namespace gantry {

/// An array in device memory from which boxes are copied: up to four dimensions, the fastest first.
struct BoxedArray {
    void* data = nullptr;
    int elementBytes = 4;  ///< 4 for floats, or 8 for pairs of them
    std::size_t dimensions = 3;
    std::array<std::int64_t, 4> sizes{};        ///< what lies outside is 0 in boxes
    std::array<std::int64_t, 3> strideBytes{};  ///< of dimensions 1 …, multiples of 16
};

/// Makes what bulk (TMA) copies need to find boxes in arrays. Asks the current device's driver.
class BoxMaps {
  public:
    /// Nothing where this toolkit or driver knows no bulk copies.
    [[nodiscard]] static std::optional<BoxMaps> find();

    /// box: elements along each dimension, at most 256; the first is a multiple of 16 bytes
    /// @throws InternalError  the driver refuses the layout
    [[nodiscard]] gpu::BoxMap map(const BoxedArray& array, const std::array<int, 4>& box) const;

  private:
    explicit BoxMaps(void* encode) : m_encode(encode) {}
    void* m_encode;
};

}  // namespace gantry
