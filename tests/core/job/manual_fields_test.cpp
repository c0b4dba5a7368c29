#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"

namespace gantry {
namespace {

// What a file without the field means.
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

// The table that the manual has of these fields.
template <class Owner>
std::string tableOf(std::span<const FileField<Owner>> fields, const std::string& before) {
    const Owner usual = {};
    std::string table = "| field | meaning | unit | if left out |\n|---|---|---|---|\n";
    for (const FileField<Owner>& field : fields) {
        std::string words;
        for (const std::string_view word : field.words())
            words += fmt::format("{}`{}`", words.empty() ? "" : ", ", word);
        const std::string meaning(field.shape.meaning);
        const bool isNamed = words.empty() || meaning.find('`') != std::string::npos;
        table += fmt::format("| `{}{}` | {}{} | {} | {} |\n", before, field.shape.path(), meaning,
                             isNamed ? "" : ": " + words, field.shape.unit, leftOut(field, usual));
    }
    return table;
}

void expectTable(const char* page, const std::string& table) {
    const std::string text = readTextFile(std::filesystem::path(GANTRY_RESOURCES) / "help" / page);
    EXPECT_NE(text.find(table), std::string::npos) << page << " lacks this table:\n" << table;
}

TEST(Manual, ListsEveryFieldOfAScan) {
    expectTable("geometry.md", tableOf(scanFileFields(), ""));
    expectTable("geometry.md", tableOf(gridFields(), "volume."));
}

TEST(Manual, ListsEveryFieldOfAJob) {
    expectTable("scan-files.md", tableOf(jobFields(), ""));
}

}  // namespace
}  // namespace gantry
