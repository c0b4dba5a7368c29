#include "app/cli/description_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/terminal.h"
#include "core/base/throw_error.h"

namespace gantry {

std::string descriptionText(const ScanDescription& description) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Statement& one : description.statements) {
        std::string text =
            fmt::format("{}{}{} ({}", one.value, one.unit.empty() || one.unit == "°" ? "" : " ",
                        one.unit, name(one.certainty));
        text += one.places.empty() ? "; not in the file)"
                                   : fmt::format("; {})", fmt::join(one.places, ", "));
        if (!one.note.empty()) text += " " + one.note;
        lines.emplace_back(one.field, std::move(text));
    }
    std::string all = fmt::format("description: {}, {}\n{}", description.format,
                                  description.file.string(), textFields(lines));
    if (!description.questions.empty()) all += "open questions (--assume QUESTION=ANSWER)\n";
    for (const OpenQuestion& one : description.questions)
        all += fmt::format("  {}={} ({}), of {}: {}\n", one.name, one.taken, one.how,
                           fmt::join(one.choices, ", "), one.what);
    if (!description.settings.empty())
        all += "as the scanner's program had it (gantry reconstruct … --preset maker)\n";
    for (const MakersSetting& one : description.settings)
        all += fmt::format("  {} {} ({}): {}\n", one.name, one.value, one.place,
                           one.option.empty() ? one.note : one.option + " = " + one.optionValue);
    std::map<std::string, std::size_t> reasons;
    for (const IgnoredKey& key : description.ignored)
        ++reasons[key.why];
    if (!reasons.empty()) all += "keys that are not used (--json lists them)\n";
    for (const auto& [why, count] : reasons)
        all += fmt::format("  {}: {}\n", count, why);
    return all;
}

nlohmann::ordered_json descriptionJson(const ScanDescription& description) {
    using Json = nlohmann::ordered_json;
    Json document = {{"format", description.format},
                     {"file", description.file.string()},
                     {"statements", Json::array()},
                     {"questions", Json::array()},
                     {"ignored", Json::array()}};
    for (const Statement& one : description.statements)
        document["statements"].push_back({{"field", one.field},
                                          {"value", one.value},
                                          {"unit", one.unit},
                                          {"places", one.places},
                                          {"certainty", std::string(name(one.certainty))},
                                          {"note", one.note}});
    for (const OpenQuestion& one : description.questions)
        document["questions"].push_back({{"name", one.name},
                                         {"taken", one.taken},
                                         {"how", one.how},
                                         {"choices", one.choices},
                                         {"what", one.what}});
    document["settings"] = Json::array();
    for (const MakersSetting& one : description.settings)
        document["settings"].push_back({{"name", one.name},
                                        {"value", one.value},
                                        {"place", one.place},
                                        {"option", one.option},
                                        {"optionValue", one.optionValue},
                                        {"note", one.note}});
    for (const IgnoredKey& key : description.ignored)
        document["ignored"].push_back(
            {{"place", key.place}, {"value", key.value}, {"why", key.why}});
    return document;
}

Answers answersOf(const std::vector<std::string>& words) {
    Answers answers;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            throwError<InputError>("--assume is \"{}\"; it must be QUESTION=ANSWER", word);
        if (!answers.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
            throwError<InputError>("--assume answers {} twice", word.substr(0, equals));
    }
    return answers;
}

}  // namespace gantry
