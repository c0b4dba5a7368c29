#include "core/describe/key_values.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/xml_keys.h"
#include "core/geometry/exchange/number_text.h"

namespace gantry {

namespace {

constexpr Index kMaxBytes = 4'000'000;
constexpr Index kMaxLines = 100'000;
constexpr std::size_t kMaxDepth = 64;

// The number of bytes of the UTF-8 character at the text's beginning; 0: it is none.
std::size_t utf8Length(std::string_view text) {
    const auto first = static_cast<std::uint8_t>(text.front());
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return 0;
    const auto isNext = [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80; };
    return std::ranges::all_of(text.substr(1, length - 1), isNext) ? length : 0;
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::vector<std::string_view> linesOf(std::string_view text, const std::string& where) {
    if (std::ssize(text) > kMaxBytes)
        throwError<InputError>("{}: has {}; a scan's description has at most {}", where,
                               formatBytes(std::ssize(text)), formatBytes(kMaxBytes));
    if (text.find('\0') != std::string_view::npos)
        throwError<InputError>("{}: has a zero byte; it must be a text", where);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        lines.push_back(trimmed(takeLine(text)));
        if (std::ssize(lines) > kMaxLines)
            throwError<InputError>("{}: has more than {} lines; a scan's description is shorter",
                                   where, kMaxLines);
    }
    return lines;
}

void checkSection(std::string_view section, std::size_t line, const std::string& where) {
    if (section.size() > kMaxSectionBytes)
        throwError<InputError>("{}: line {}: the names of its groups have {} bytes; {} are allowed",
                               where, line, section.size(), kMaxSectionBytes);
}

// "a" is a.
std::string_view unquoted(std::string_view value) {
    const bool isQuoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return isQuoted ? trimmed(value.substr(1, value.size() - 2)) : value;
}

std::vector<KeyValue> iniOf(const std::vector<std::string_view>& lines, bool hasNotes,
                            const std::string& where) {
    std::vector<KeyValue> found;
    std::string section;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line =
            hasNotes ? trimmed(lines[i].substr(0, lines[i].find('#'))) : lines[i];
        if (line.empty() || line.front() == ';' || line.front() == '#') continue;
        if (line.front() == '[' && line.back() == ']') {
            section = trimmed(line.substr(1, line.size() - 2));
            checkSection(section, i + 1, where);
            continue;
        }
        const std::size_t equals = line.find('=');
        KeyValue one{section, {}, {}, static_cast<Index>(i) + 1};
        if (equals == std::string_view::npos) {
            one.key = quotable(line);  // is listed as a key that nobody knows
        } else {
            one.key = trimmed(line.substr(0, equals));
            one.value = unquoted(trimmed(line.substr(equals + 1)));
        }
        found.push_back(std::move(one));
    }
    return found;
}

std::vector<KeyValue> tabsOf(const std::vector<std::string_view>& lines) {
    std::vector<KeyValue> found;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t tab = lines[i].find('\t');
        if (tab == std::string_view::npos) continue;
        found.push_back({{},
                         std::string(trimmed(lines[i].substr(tab + 1))),
                         std::string(unquoted(trimmed(lines[i].substr(0, tab)))),
                         static_cast<Index>(i) + 1});
    }
    return found;
}

struct Tag {
    std::string_view name;
    std::string_view value;
    bool isClosing = false;
};

Tag tagOf(std::string_view line, std::size_t number, const std::string& where) {
    const std::size_t end = line.find('>');
    if (line.front() != '<' || end == std::string_view::npos)
        throwError<InputError>("{}: line {}: is \"{}\"; it must be \"<key>value\"", where, number,
                               quotable(line));
    Tag tag{line.substr(1, end - 1), trimmed(line.substr(end + 1))};
    if (tag.name.starts_with('/')) {
        tag.isClosing = true;
        tag.name.remove_prefix(1);
    }
    return tag;
}

// Only a tag that is closed later begins a group, so groups are found from the end.
std::vector<bool> groupsOf(const std::vector<std::pair<std::size_t, Tag>>& tags,
                           const std::string& where) {
    std::vector<bool> isGroup(tags.size());
    std::vector<std::string_view> open;
    for (std::size_t i = tags.size(); i-- > 0;) {
        const Tag& tag = tags[i].second;
        if (tag.isClosing) {
            open.push_back(tag.name);
            if (open.size() > kMaxDepth)
                throwError<InputError>("{}: line {}: has more than {} groups in each other", where,
                                       tags[i].first, kMaxDepth);
        } else if (tag.value.empty() && !open.empty() && open.back() == tag.name) {
            isGroup[i] = true;
            open.pop_back();
        }
    }
    if (!open.empty())
        throwError<InputError>("{}: the group {} ends but does not begin", where,
                               quotable(open.back()));
    return isGroup;
}

std::vector<KeyValue> tagsOf(const std::vector<std::string_view>& lines, const std::string& where) {
    std::vector<std::pair<std::size_t, Tag>> tags;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (!lines[i].empty()) tags.emplace_back(i + 1, tagOf(lines[i], i + 1, where));
    const std::vector<bool> isGroup = groupsOf(tags, where);
    std::vector<KeyValue> found;
    std::vector<std::size_t> ends = {0};  // the section's lengths outside of each group
    std::string section;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        const Tag& tag = tags[i].second;
        if (tag.isClosing) {
            section.resize(ends.back());
            ends.pop_back();
        } else if (isGroup[i]) {
            ends.push_back(section.size());
            section.append(section.empty() ? "" : "/").append(tag.name);
            checkSection(section, tags[i].first, where);
        } else {
            found.push_back({section, std::string(tag.name), std::string(tag.value),
                             static_cast<Index>(tags[i].first)});
        }
    }
    return found;
}

std::vector<KeyValue> keysOf(std::string_view text, KeySyntax syntax, const std::string& where) {
    if (syntax == KeySyntax::xml) return xmlKeys(text, where);
    const std::vector<std::string_view> lines = linesOf(text, where);
    if (syntax == KeySyntax::tags) return tagsOf(lines, where);
    if (syntax == KeySyntax::tabs) return tabsOf(lines);
    return iniOf(lines, syntax == KeySyntax::notes, where);
}

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0U | code >> 6U);
    } else {
        if (code < 0x10000) {
            add(0xE0U | code >> 12U);
        } else {
            add(0xF0U | code >> 18U);
            add(0x80U | (code >> 12U & 0x3FU));
        }
        add(0x80U | (code >> 6U & 0x3FU));
    }
    add(0x80U | (code & 0x3FU));
}

// A surrogate without its other half becomes the sign of what cannot be read.
std::string utf8OfUtf16(std::string_view text, bool isBigEndian) {
    const auto unit = [&](std::size_t at) {
        const auto first = static_cast<std::uint8_t>(text[at]);
        const auto second = static_cast<std::uint8_t>(text[at + 1]);
        return isBigEndian ? std::uint32_t{first} << 8U | second
                           : std::uint32_t{second} << 8U | first;
    };
    std::string all;
    all.reserve(text.size());
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        std::uint32_t code = unit(i);
        const bool isPair = code >= 0xD800 && code < 0xDC00 && i + 3 < text.size() &&
                            unit(i + 2) >= 0xDC00 && unit(i + 2) < 0xE000;
        if (isPair) {
            code = 0x10000 + ((code - 0xD800) << 10U) + (unit(i + 2) - 0xDC00);
            i += 2;
        } else if (code >= 0xD800 && code < 0xE000) {
            code = 0xFFFD;
        }
        appendUtf8(all, code);
    }
    return all;
}

}  // namespace

std::string asUtf8(std::string_view text) {
    if (text.starts_with("\xFF\xFE")) return utf8OfUtf16(text.substr(2), false);
    if (text.starts_with("\xFE\xFF")) return utf8OfUtf16(text.substr(2), true);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (isUtf8(text)) return std::string(text);
    std::string all;
    all.reserve(text.size() + text.size() / 8);
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (byte < 0x80) {
            all += c;
        } else {
            all += static_cast<char>(0xC0U | byte >> 6U);
            all += static_cast<char>(0x80U | (byte & 0x3FU));
        }
    }
    return all;
}

std::string plainKey(std::string_view key) {
    std::string plain;
    for (const char c : inLowerCase(key))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
    return plain;
}

std::vector<KeyValue> parseKeyValues(std::string_view text, KeySyntax syntax,
                                     const std::string& where) {
    const std::string utf8 = asUtf8(text);
    std::vector<KeyValue> found = keysOf(utf8, syntax, where);
    if (found.empty()) throwError<InputError>("{}: has no keys with values", where);
    return found;
}

std::vector<KeyValue> readKeyValues(const std::filesystem::path& file, KeySyntax syntax) {
    return parseKeyValues(readTextFile(file, kMaxBytes), syntax, file.string());
}

std::vector<KeyValue> readKeysBeside(const std::filesystem::path& file, KeySyntax syntax) {
    std::vector<KeyValue> keys = readKeyValues(file, syntax);
    for (KeyValue& key : keys)
        key.file = file.filename().string();
    return keys;
}

}  // namespace gantry
