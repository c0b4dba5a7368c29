#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/field_table.h"

namespace gantry {

/// What a file without the field means, as the manual writes it.
template <class Owner>
std::string leftOut(const FileField<Owner>& field, const Owner& usual) {
    nlohmann::ordered_json object;
    writeField(object, field.shape, field.value(usual));
    std::string text;
    if (!object.empty()) text = fmt::format("`{}`", object.begin()->dump());
    for (std::size_t i = text.find(','); i != std::string::npos; i = text.find(',', i + 1))
        text.replace(i, 1, ", ");
    if (field.shape.presence == FieldPresence::needed ||
        object == nlohmann::ordered_json{{"views", 0}})
        return "must be there";
    return text;
}

/// The meaning of a field, with the words that it may be.
template <class Owner>
std::string meaningOf(const FileField<Owner>& field) {
    std::string words;
    for (const FieldWord& word : field.words())
        words += fmt::format("{}`{}`", words.empty() ? "" : ", ", word.word);
    const std::string meaning(field.shape.meaning);
    const bool isNamed = words.empty() || meaning.find('`') != std::string::npos;
    return meaning + (isNamed ? "" : ": " + words);
}

/// The table that the manual has of a file's fields.
template <class Owner>
std::string manualTable(std::span<const FileField<Owner>> fields, const std::string& before = "") {
    const Owner usual = {};
    std::string table = "| field | meaning | unit | if left out |\n|---|---|---|---|\n";
    for (const FileField<Owner>& field : fields)
        table += fmt::format("| `{}{}` | {} | {} | {} |\n", before, field.shape.path(),
                             meaningOf(field), field.shape.unit, leftOut(field, usual));
    return table;
}

/// The table that the manual has of the options that set these fields; those of one flag are one
/// row.
template <class Owner>
std::string optionTable(std::span<const FileField<Owner>> fields) {
    std::string table = "| option | meaning | field |\n|---|---|---|\n";
    for (std::size_t i = 0; i < fields.size();) {
        const std::string_view flag = fields[i].option.flag;
        std::vector<std::string> forms;
        std::vector<std::string> meanings;
        std::vector<std::string> places;
        for (; i < fields.size() && fields[i].option.flag == flag; ++i) {
            forms.emplace_back(fields[i].option.form);
            meanings.push_back(meaningOf(fields[i]));
            places.push_back(fmt::format("`{}`", fields[i].shape.path()));
        }
        if (flag.empty()) continue;
        forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
        const std::string form = fmt::format("{}", fmt::join(forms, ","));
        table += fmt::format("| `{}{}{}` | {} | {} |\n", flag, form.empty() ? "" : " ", form,
                             fmt::join(meanings, "; "), fmt::join(places, ", "));
    }
    return table;
}

}  // namespace gantry
