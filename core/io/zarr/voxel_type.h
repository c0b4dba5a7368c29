#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/io/pixel_type.h"

namespace gantry {

/// Calls body with a value of the C++ type that voxels of that type have.
template <class Body>
void withVoxelType(PixelType type, const Body& body) {
    switch (type) {
        case PixelType::uint8:
            return body(std::uint8_t{});
        case PixelType::int8:
            return body(std::int8_t{});
        case PixelType::uint16:
            return body(std::uint16_t{});
        case PixelType::int16:
            return body(std::int16_t{});
        case PixelType::uint32:
            return body(std::uint32_t{});
        case PixelType::int32:
            return body(std::int32_t{});
        case PixelType::float32:
            return body(float{});
        case PixelType::float64:
            return body(double{});
    }
    throw InternalError("a pixel type has no C++ type");
}

}  // namespace gantry
