#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/scan/inspect/picture_facts.h"

namespace gantry {

/// A warning where part of most views is brighter than the flat field, and the air beside the
/// object is not: the object, or something else, was in the beam of the flat frames. facts: of
/// views spread over the scan; contrast: contrastOf() them Tests:
/// tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkFlat(const std::vector<PictureFacts>& facts,
                                               double contrast);

}  // namespace gantry
