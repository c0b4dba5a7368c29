#pragma once

#include "core/io/projection_format.h"

namespace gantry {

/// Views in .his images of Elekta's machines (Heimann Imaging Software): frames of 16 bits.
/// Tests: tests/core/io/his_test.cpp
[[nodiscard]] ProjectionFormat hisProjections();

}  // namespace gantry
