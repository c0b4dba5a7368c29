#pragma once

#include <span>
#include <vector>

#include "core/describe/description_sheet.h"
#include "core/io/xradia/xradia_file.h"

namespace gantry {

/// The streams of a ZEISS Xradia file as keys, its storages as their sections. Streams whose type
/// is not known have their size as a value, lists their first number and their length. Images
/// beyond the first are left out.
/// Tests: tests/core/describe/zeiss_test.cpp
[[nodiscard]] std::vector<KeyValue> zeissStreams(const XradiaFile& file);

/// Why streams of such files are not used.
[[nodiscard]] std::span<const KnownKey> zeissIgnored();

}  // namespace gantry
