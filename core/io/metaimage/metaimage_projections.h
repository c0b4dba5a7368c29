#pragma once

#include "core/io/projection_format.h"

namespace gantry {

/// Views in MetaImage files: each slice z of each file is one, each line y a row. Scaled values
/// are refused.
/// Tests: tests/core/io/metaimage_source_test.cpp
[[nodiscard]] ProjectionFormat metaImageProjections();

}  // namespace gantry
