#pragma once

#include <string_view>

#include "core/job/event_tail.h"

namespace gantry {

/// Adds the content of one line of an events.jsonl to `news`; a line that is damaged, impossible (a
/// span that ends before it begins) or of an unknown kind is counted there.
/// Tests: tests/core/job/event_tail_test.cpp
void takeEventLine(std::string_view line, EventNews& news);

}  // namespace gantry
