#include "core/remote/host/shell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/foreign_text.h"
#include "core/base/text.h"

namespace gantry {

namespace {

void refuseNull(std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        throw InputError("A name for a host holds a null character, which no system allows.");
}

bool isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The length of "$NAME" or "${NAME}" at the begin; 0: neither.
std::size_t variableLength(std::string_view text) {
    const bool isBraced = text.starts_with("${");
    const std::size_t begin = isBraced ? 2 : 1;
    std::size_t end = begin;
    while (end < text.size() && (isLetterOrDigit(text[end]) || text[end] == '_'))
        ++end;
    if (!isVariableName(text.substr(begin, end - begin))) return 0;
    if (!isBraced) return end;
    return end < text.size() && text[end] == '}' ? end + 1 : 0;
}

// "~" or "$NAME" before the first slash; empty: neither.
std::string_view beginOf(std::string_view place) {
    const std::string_view first = place.substr(0, place.find('/'));
    const bool isKnown =
        first == "~" || (first.starts_with('$') && isVariableName(first.substr(1)));
    return isKnown ? first : std::string_view();
}

}  // namespace

std::string shellWord(std::string_view word) {
    refuseNull(word);
    std::string text = "'";
    for (const char c : word)
        if (c == '\'')
            text += "'\\''";
        else
            text += c;
    return text + "'";
}

bool isVariableName(std::string_view name) {
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return isLetterOrDigit(c) || c == '_'; });
}

bool isShellWords(std::string_view text) {
    constexpr std::string_view kPlain = " _./=,:+@%-{}";
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (std::iscntrl(static_cast<unsigned char>(c)) != 0) return false;
        if (quote == '\'') {
            if (c == quote) quote = 0;
        } else if (c == '$') {
            const std::size_t length = variableLength(text.substr(i));
            if (length == 0) return false;
            i += length - 1;
        } else if (c == '\\') {
            if (++i == text.size()) return false;
        } else if (c == '"' || (c == '\'' && quote == 0)) {
            quote = quote == c ? '\0' : c;
        } else if (c == '`' || (quote == 0 && !isLetterOrDigit(c) &&
                                kPlain.find(c) == std::string_view::npos)) {
            return false;
        }
    }
    return quote == 0;
}

bool isPlace(std::string_view place) {
    return place.starts_with('/') || !beginOf(place).empty();
}

std::string placeWord(std::string_view place) {
    const std::string_view begin = beginOf(place);
    if (begin.empty()) return shellWord(place);
    const std::string folder =
        begin == "~" ? "\"$HOME\"" : fmt::format("\"${{{}:?is not set}}\"", begin.substr(1));
    return place == begin ? folder : folder + shellWord(place.substr(begin.size()));
}

std::string octalText(std::string_view text) {
    refuseNull(text);
    constexpr std::string_view kPlain = "_/.,:=+@-";
    std::string result;
    for (const char c : text)
        if (isLetterOrDigit(c) || kPlain.find(c) != std::string_view::npos)
            result += c;
        else
            result += fmt::format("\\0{:03o}", static_cast<unsigned char>(c));
    return result;
}

std::string shownText(std::string_view text, std::size_t maxBytes) {
    std::string shown;
    for (const char c : trimmed(text.substr(0, 4 * maxBytes))) {
        const bool isControl = std::iscntrl(static_cast<unsigned char>(c)) != 0;
        if (isControl && (shown.empty() || shown.back() == ' ')) continue;
        shown += isControl ? ' ' : c;
    }
    shown = terminalText(shown);  // a host's bytes may be no UTF-8, which JSON must be
    if (shown.size() > maxBytes) {
        std::size_t end = maxBytes;  // not inside a character of several bytes
        while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U)
            --end;
        shown = shown.substr(0, end) + "…";
    }
    return std::string(trimmed(shown));
}

}  // namespace gantry
