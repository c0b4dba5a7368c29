#include "core/base/foreign_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace gantry {

namespace {

constexpr std::uint32_t kPrivate = 0xF700;  // with a byte from 0x80 on: U+F780 to U+F7FF

unsigned char byteAt(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

// A character at the begin of a text. length 0: its first byte is no UTF-8.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

Character firstOf(std::string_view text) {
    const unsigned char first = byteAt(text, 0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return {};
    std::uint32_t code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byteAt(text, i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byteAt(text, i) & 0x3FU);
    }
    const bool isOverlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool isNone = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
    if (isOverlong || isNone) return {};
    return {code, length};
}

bool isControl(std::uint32_t code) {
    if (code == '\n' || code == '\t') return false;
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || turns;
}

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string terminalText(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const auto [code, length] = firstOf(text);
        if (length == 0)
            clean += fmt::format("\\x{:02X}", byteAt(text, 0));
        else if (isControl(code))
            clean += '?';
        else
            clean += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return clean;
}

std::string withoutMiddle(std::string text, std::size_t maxBytes) {
    constexpr std::string_view kDots = "…";
    if (text.size() <= maxBytes || maxBytes < 2 * kDots.size()) return text;
    std::size_t begin = (maxBytes - kDots.size()) / 2;
    std::size_t end = text.size() - (maxBytes - kDots.size() - begin);
    while (begin > 0 && isContinuation(text[begin]))
        --begin;
    while (end < text.size() && isContinuation(text[end]))
        ++end;
    return text.replace(begin, end - begin, kDots);
}

std::string utf8OfBytes(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = firstOf(bytes).length;
        if (length > 0) {
            text += bytes.substr(0, length);
            bytes.remove_prefix(length);
            continue;
        }
        const std::uint32_t code = kPrivate + byteAt(bytes, 0);
        text += static_cast<char>(0xE0U | code >> 12);
        text += static_cast<char>(0x80U | (code >> 6 & 0x3FU));
        text += static_cast<char>(0x80U | (code & 0x3FU));
        bytes.remove_prefix(1);
    }
    return text;
}

std::string bytesOfUtf8(std::string text) {
    constexpr std::string_view kLead = "\xEF";
    if (text.find(kLead) == std::string::npos) return text;
    std::string bytes;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto [code, length] = firstOf(rest);
        const bool isByte = code >= kPrivate + 0x80 && code <= kPrivate + 0xFF;
        if (isByte)
            bytes += static_cast<char>(code - kPrivate);
        else
            bytes += rest.substr(0, length == 0 ? 1 : length);
        rest.remove_prefix(length == 0 ? 1 : length);
    }
    return bytes;
}

bool isUtf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = firstOf(text).length;
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace gantry
