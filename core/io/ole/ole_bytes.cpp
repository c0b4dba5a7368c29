#include "core/io/ole/ole_bytes.h"

namespace gantry {

namespace {

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
}

bool isHigh(std::uint32_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}
bool isLow(std::uint32_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

std::string oleName(std::span<const std::byte> utf16) {
    std::string name;
    const auto unitAt = [&](Index at) { return static_cast<std::uint32_t>(oleShort(utf16, at)); };
    for (Index at = 0; at + 2 <= std::ssize(utf16); at += 2) {
        std::uint32_t code = unitAt(at);
        if (isHigh(code) && at + 4 <= std::ssize(utf16) && isLow(unitAt(at + 2))) {
            code = 0x10000 + ((code - 0xD800) << 10) + (unitAt(at + 2) - 0xDC00);
            at += 2;
        }
        const bool isUnfit =
            code < 0x20 || code == 0x7F || code == '/' || isHigh(code) || isLow(code);
        appendUtf8(name, isUnfit ? '_' : code);
    }
    return name;
}

}  // namespace gantry
