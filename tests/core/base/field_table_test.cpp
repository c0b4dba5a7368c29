#include "core/base/field_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

struct Content {
    double length = 1.5;
    Index count = 3;
    int threads = 2;
    bool flag = true;
    std::string name;
    std::filesystem::path file = "a b/ß.tif";
    std::array<double, 2> pitch = {0.25, 0.5};
    std::array<double, 3> centre = {1, 2, 3};
    std::array<Index, 3> voxels = {5, 6, 7};
    std::vector<double> angles;
    std::vector<int> devices = {0, 2};
    std::vector<std::string> lines = {"a b", "ß\"'"};
    std::optional<double> level;
    std::optional<std::array<double, 2>> range;
    int colour = 1;
};

constexpr std::array<FieldWord, 3> kColours = {"red", "green", "blue"};

using C = Content;
using enum FieldPresence;
const std::vector<FileField<Content>> kTable = {
    {{"", "length", needed}, [](C& c) -> double& { return c.length; }},
    {{"", "count", defaulted, "", "", 1, 9}, [](C& c) -> Index& { return c.count; }},
    {{"", "threads", defaulted}, [](C& c) -> int& { return c.threads; }},
    {{"", "flag", defaulted}, [](C& c) -> bool& { return c.flag; }},
    {{"", "name", whereSet}, [](C& c) -> std::string& { return c.name; }},
    {{"", "file", defaulted}, [](C& c) -> std::filesystem::path& { return c.file; }},
    {{"", "pitch", needed}, [](C& c) -> std::array<double, 2>& { return c.pitch; }},
    {{"", "centre", defaulted}, [](C& c) -> std::array<double, 3>& { return c.centre; }},
    {{"", "voxels", defaulted}, [](C& c) -> std::array<Index, 3>& { return c.voxels; }},
    {{"", "angles", special}, [](C& c) -> std::vector<double>& { return c.angles; }},
    {{"", "devices", defaulted, "", "", 0, 7}, [](C& c) -> std::vector<int>& { return c.devices; }},
    {{"", "lines", whereSet}, [](C& c) -> std::vector<std::string>& { return c.lines; }},
    {{"", "level", whereSet}, [](C& c) -> std::optional<double>& { return c.level; }},
    {{"", "range", whereSet},
     [](C& c) -> std::optional<std::array<double, 2>>& { return c.range; }},
    {{"paint", "colour", defaulted},
     FieldChoice<C>{kColours, [](const C& c) { return static_cast<std::size_t>(c.colour); },
                    [](C& c, std::size_t word) { c.colour = static_cast<int>(word); }}},
};
const std::span<const FileField<Content>> kFields = kTable;

nlohmann::ordered_json written(const Content& content) {
    nlohmann::ordered_json object;
    writeSection(object, kFields, "", content);
    writeSection(object["paint"], kFields, "paint", content);
    return object;
}

Content readBack(const std::string& text) {
    const nlohmann::json document = parseJson(text, "file");
    JsonFields fields(document, "file");
    Content content;
    readSection(fields, kFields, "", content);
    JsonFields paint = fields.object("paint");
    readSection(paint, kFields, "paint", content);
    paint.finish();
    fields.finish();
    return content;
}

TEST(FieldTable, EveryKindIsWrittenAndReadBack) {
    Content content;
    content.length = -0.125;
    content.count = 9;
    content.threads = 16;
    content.flag = false;
    content.name = "\"Nuß\"";
    content.file = "d/e";
    content.pitch = {3, 1e-7};
    content.centre = {-1, 0, 1e300};
    content.voxels = {1, 1, 32768};
    content.devices = {7};
    content.level = 60000;
    content.range = {{-0.5, 0.75}};
    content.colour = 2;
    const Content again = readBack(written(content).dump());
    for (const FileField<Content>& field : kFields)
        EXPECT_TRUE(field.isSame(again, content)) << field.shape.path();
    EXPECT_EQ(again.colour, 2);
    EXPECT_EQ(again.devices, (std::vector<int>{7}));
    EXPECT_EQ(fieldOf(kFields, "paint.colour").words().size(), 3U);
    EXPECT_THROW((void)fieldOf(kFields, "colour"), InternalError);
}

TEST(FieldTable, WhatIsNotSetIsNotWrittenAndWhatHasADefaultMayBeLeftOut) {
    const Content usual;
    const std::string text = written(usual).dump();
    EXPECT_EQ(text.find("name"), std::string::npos);
    EXPECT_EQ(text.find("level"), std::string::npos);
    EXPECT_EQ(text.find("angles"), std::string::npos);
    EXPECT_NE(text.find(R"("centre":[1,2,3])"), std::string::npos) << "whole numbers stay whole";
    Content other;
    other.level = 3;
    const Content min = readBack(R"({"length": 1.5, "pitch": [0.25, 0.5], "paint": {}})");
    for (const FileField<Content>& field : kFields) {
        EXPECT_TRUE(field.isSame(min, usual)) << field.shape.path();
        EXPECT_EQ(field.isSame(usual, other), field.shape.name != "level") << field.shape.path();
    }
}

TEST(FieldTable, WrongFieldsAreNamed) {
    const auto with = [](const char* change) {
        nlohmann::json document = nlohmann::json::parse(written({}).dump());
        document.merge_patch(nlohmann::json::parse(change));
        (void)readBack(document.dump());
    };
    EXPECT_ERROR(with(R"({"length": null})"), InputError, "length");
    EXPECT_ERROR(with(R"({"count": 10})"), InputError, "count is 10; it must be 1 to 9");
    EXPECT_ERROR(with(R"({"devices": [1, 8]})"), InputError, "devices is 8; it must be 0 to 7");
    EXPECT_ERROR(with(R"({"devices": [0.5]})"), InputError, "devices 0.5 is no whole number");
    EXPECT_ERROR(with(R"({"lines": ["a", 3]})"), InputError, "lines[1] must be a text in quotes");
    EXPECT_ERROR(with(R"({"pitch": [1]})"), InputError, "pitch");
    EXPECT_ERROR(with(R"({"paint": {"colour": "mauve"}})"), InputError, "paint.colour");
    EXPECT_ERROR(with(R"({"other": 1})"), InputError, "other");
}

}  // namespace
}  // namespace gantry
