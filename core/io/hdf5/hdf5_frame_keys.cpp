#include "core/io/hdf5/hdf5_frame_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_quantities.h"

namespace gantry {

namespace {

std::optional<FrameKey> keyOf(double number) {
    if (number == 0) return FrameKey::projection;
    if (number == 1) return FrameKey::flat;
    if (number == 2) return FrameKey::dark;
    if (number == 3 || number == -1) return FrameKey::unused;
    return std::nullopt;
}

std::optional<FrameKey> keyOf(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, FrameKey>, 9> kNames = {
        {{"projection", FrameKey::projection},
         {"sample", FrameKey::projection},
         {"flat", FrameKey::flat},
         {"flat field", FrameKey::flat},
         {"white", FrameKey::flat},
         {"dark", FrameKey::dark},
         {"dark field", FrameKey::dark},
         {"invalid", FrameKey::unused},
         {"alignment", FrameKey::unused}}};
    std::string word = inLowerCase(trimmed(text));
    std::ranges::replace(word, '_', ' ');
    for (const auto& [name, key] : kNames)
        if (word == name) return key;
    const std::optional<double> number = numberIn(word);
    return number ? keyOf(*number) : std::nullopt;
}

}  // namespace

std::optional<std::vector<FrameKey>> frameKeys(const Hdf5File& file, const std::string& dataset,
                                               const std::string& data, Index frames) {
    if (!file.has(dataset)) return std::nullopt;
    const auto checkCount = [&](std::size_t count) {
        if (std::cmp_not_equal(count, frames))
            throwErrorOf<FileError>(file.path(),
                                    "contradicts itself: {} has {} values, {} has {} images",
                                    dataset, count, data, frames);
    };
    std::vector<FrameKey> keys;
    const auto add = [&](const auto& stored, const std::string& shown) {
        const std::optional<FrameKey> key = keyOf(stored);
        if (!key)
            throwErrorOf<FileError>(
                file.path(),
                "is not understood: {} holds {} for image {}; keys are 0 or projection, 1 or flat "
                "field, 2 or dark field, 3 or invalid, and -1",
                dataset, shown, keys.size());
        keys.push_back(*key);
    };
    if (const std::optional<Hdf5Numbers> numbers = file.numbers(dataset, kMaxHdf5Frames)) {
        checkCount(numbers->values.size());
        for (const double number : numbers->values)
            add(number, fmt::format("{:g}", number));
        return keys;
    }
    const std::optional<std::vector<std::string>> texts = file.texts(dataset, frames);
    if (!texts)
        throwErrorOf<FileError>(file.path(),
                                "is not understood: {} holds neither numbers nor texts", dataset);
    checkCount(texts->size());
    for (const std::string& text : *texts)
        add(text, fmt::format("\"{}\"", quotable(text)));
    return keys;
}

}  // namespace gantry
