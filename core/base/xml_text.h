#pragma once

#include <string>
#include <string_view>

namespace gantry {

/// A text as XML and HTML have it between tags and in attributes with double quotes. Control
/// characters but for tabs and ends of lines, which XML does not have, are left out.
/// Tests: tests/core/base/xml_text_test.cpp
[[nodiscard]] std::string xmlEscaped(std::string_view text);

}  // namespace gantry
