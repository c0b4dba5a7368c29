#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// A value of a file of keys, with its place.
struct KeyValue {
    std::string section;  ///< "XTekCT"; of nested groups a path: "Project/Geometry/Result"
    std::string key;
    std::string value;  ///< as UTF-8, without blanks at its ends
    Index line = 0;     ///< counted from 1
};

/// How the files of a maker write their keys.
enum class KeySyntax {
    ini,   ///< "[section]" and "key = value"; lines that begin with ; or # are skipped
    tags,  ///< "<key>value", where only groups close; groups may repeat
};

/// The keys and values of a small text file, in its order. Text that is no UTF-8 is taken for
/// Windows-1252; lines end as on Unix or Windows. A line without "=" is a key without a value.
/// @throws InputError naming the file and the line: more than 4 MB, 100,000 lines or 64 groups in
///         each other, a zero byte, a line that is no tag, a group that only ends, or no key at all
/// Tests: tests/core/describe/key_values_test.cpp
[[nodiscard]] std::vector<KeyValue> readKeyValues(const std::filesystem::path& file,
                                                  KeySyntax syntax);
[[nodiscard]] std::vector<KeyValue> parseKeyValues(std::string_view text, KeySyntax syntax,
                                                   const std::string& where);

/// A text as UTF-8: itself if it is, without its mark, otherwise as Windows-1252.
[[nodiscard]] std::string asUtf8(std::string_view text);

/// Letters and digits of a key in lower case, by which keys of one maker's versions are the same.
[[nodiscard]] std::string plainKey(std::string_view key);

}  // namespace gantry
