#include "core/io/series/view_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

// More than any scan has; keeps a mistyped range from filling the memory.
constexpr Index kMaxNumber = 1'000'000;

Index numberOf(std::string_view digits, std::string_view item, std::string_view where) {
    digits = trimmed(digits);
    Index number = -1;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || rest != end || number < 0 || number > kMaxNumber)
        throwError<InputError>(
            "{}: '{}' is no number of a view; write numbers from 0 on, as in 99,100 or 99-101",
            where, item);
    return number;
}

}  // namespace

std::vector<Index> parseViewNumbers(std::string_view text, std::string_view where) {
    std::vector<Index> numbers;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view item = trimmed(text.substr(0, comma));
        const std::size_t dash = item.find('-');
        const Index first = numberOf(item.substr(0, dash), item, where);
        const Index last =
            dash == std::string_view::npos ? first : numberOf(item.substr(dash + 1), item, where);
        if (last < first)
            throwError<InputError>("{}: {} runs backwards; write {}-{}", where, item, last, first);
        for (Index number = first; number <= last; ++number)
            numbers.push_back(number);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return united({}, numbers);
}

std::string viewNumbersText(const std::vector<Index>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
            ++end;
        if (!text.empty()) text += ',';
        text += std::to_string(numbers[i]);
        if (end - i > 1) text += (end - i > 2 ? '-' : ',') + std::to_string(numbers[end - 1]);
        i = end;
    }
    return text;
}

std::vector<Index> united(std::vector<Index> a, const std::vector<Index>& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::ranges::sort(a);
    a.erase(std::unique(a.begin(), a.end()), a.end());
    return a;
}

std::string leaveOutFault(const std::vector<Index>& numbers, Index views) {
    for (const Index number : numbers)
        if (number < 0 || number >= views)
            return fmt::format("names view {}; the views of this scan are 0 to {}", number,
                               views - 1);
    if (!numbers.empty() && std::ssize(numbers) == views)
        return fmt::format("names all {} views; at least one must remain", views);
    return {};
}

}  // namespace gantry
