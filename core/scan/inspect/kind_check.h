#pragma once

#include <optional>
#include <vector>

#include "core/geometry/check/validate.h"
#include "core/io/scan_file/scan_file.h"
#include "core/scan/inspect/picture_facts.h"

namespace gantry {

/// A warning where line integrals are none: less behind the object than beside it, as of
/// transmissions, counts or line integrals of the wrong sign that are given for attenuation, or of
/// line integrals that are given for counts; or more than any detector measures.
/// facts: of views spread over the scan
/// Tests: tests/core/scan/counts_checks_test.cpp
[[nodiscard]] std::optional<Problem> checkKind(ProjectionKind kind,
                                               const std::vector<PictureFacts>& facts);

}  // namespace gantry
