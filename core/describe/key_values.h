#pragma once

#include <cstddef>
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
    std::string value;      ///< as UTF-8, without blanks at its ends
    Index line = 0;         ///< counted from 1; 0: the file has no lines
    std::string file = {};  ///< its name, if it is not the description but one beside it
};

/// How the files of a maker write their keys.
enum class KeySyntax {
    ini,    ///< "[section]" and "key = value"; lines that begin with ; or # are skipped
    notes,  ///< as ini, with notes behind a # in any line
    tags,   ///< "<key>value", where only groups close; groups may repeat
    xml,    ///< elements without others are keys; those that they are in make the section, but for
            ///< the outermost; attributes are keys in the section of their element's name
    tabs,   ///< "value TAB key"
};

/// The keys and values of a small text file, in its order; values without the quotes about them.
/// Text that is neither UTF-8 nor marked as UTF-16 is taken for Windows-1252; lines end as on Unix
/// or Windows. A line without "=" is a key without a value.
/// @throws InputError naming the file and the line: more than 4 MB, 100,000 lines or 64 groups in
///         each other, a section of more than kMaxSectionBytes, a zero byte, a line that is no tag,
///         a group that only ends, no well-formed XML, or no key at all
/// Tests: tests/core/describe/key_values_test.cpp
[[nodiscard]] std::vector<KeyValue> readKeyValues(const std::filesystem::path& file,
                                                  KeySyntax syntax);
[[nodiscard]] std::vector<KeyValue> parseKeyValues(std::string_view text, KeySyntax syntax,
                                                   const std::string& where);

/// The section of a key at most, as each key of it has it by itself.
inline constexpr std::size_t kMaxSectionBytes = 400;

/// The keys of a file beside the description, for the end of those of the description.
[[nodiscard]] std::vector<KeyValue> readKeysBeside(const std::filesystem::path& file,
                                                   KeySyntax syntax);

/// A text as UTF-8: itself if it is, without its mark; UTF-16 if it has the mark of it; otherwise
/// Windows-1252.
[[nodiscard]] std::string asUtf8(std::string_view text);

/// Letters and digits of a key in lower case, by which keys of one maker's versions are the same.
[[nodiscard]] std::string plainKey(std::string_view key);

}  // namespace gantry
