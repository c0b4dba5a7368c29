#include "app/cli/over_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

// The paths that contain a part of the name: "prep.ringWidthPx" for "rings.width".
std::vector<std::string> pathsNear(const std::vector<VariedField>& fields,
                                   const std::string& name) {
    std::vector<std::string> parts;
    std::string part;
    for (const char c : inLowerCase(name) + ".") {
        const bool isLetter = c >= 'a' && c <= 'z';
        if (isLetter) part += c;
        constexpr std::size_t kMinLetters = 3;
        if (isLetter) continue;
        if (part.size() >= kMinLetters) parts.push_back(part);
        part.clear();
    }
    std::vector<std::string> near;
    for (const VariedField& field : fields) {
        const std::string path = inLowerCase(field.path + " " + field.label);
        if (std::ranges::any_of(
                parts, [&](const auto& each) { return path.find(each) != std::string::npos; }))
            near.push_back(field.path);
    }
    return near;
}

}  // namespace

OverWords overWords(const std::string& text, std::string_view example) {
    const std::size_t sign = std::min(text.find('='), text.size());
    OverWords words = {text.substr(0, sign), {}};
    if (sign < text.size()) words.values = valueWords(text.substr(sign + 1), "--over");
    if (sign == 0 ||
        std::ranges::all_of(words.values, [](const auto& value) { return value.empty(); }))
        throwError<InputError>("--over is '{}'; it must be a field and its values, such as {}.",
                               text, example);
    return words;
}

VariedField overField(const std::string& name, const JobSpec& job) {
    const std::vector<VariedField> all = variedFields(job);
    const std::string path = name.starts_with("scan.") ? name.substr(5) : name;
    const auto found = std::ranges::find_if(
        all, [&](const VariedField& field) { return field.path == path || field.word == name; });
    if (found != all.end()) return *found;
    const std::vector<std::string> near = pathsNear(all, name);
    throwError<InputError>(
        "--over has no field '{}' of one value; {}.", name,
        near.empty() ? "it must be one of job.json or scan.json, such as prep.ringWidthPx, "
                       "filter.window or detector.offsetMm[0]"
                     : fmt::format("near to it are {}", fmt::join(near, ", ")));
}

}  // namespace gantry
