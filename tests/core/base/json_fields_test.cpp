#include "core/base/json_fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using nlohmann::json;

json scan() {
    return parseJson(R"({
        "name": "walnut", "views": 720, "arcDeg": -360, "half": 0.5, "flag": true,
        "detector": {"pitchMm": [0.4, 0.5], "centerMm": [1, 2.5, -3], "voxels": [512, 256, 1],
                     "anglesDeg": [0, 1.5, 3], "files": ["a.tif", "b.tif"]}
    })",
                     "scan.json");
}

TEST(JsonFields, readsEveryType) {
    const json object = scan();
    JsonFields fields(object, "scan.json");
    EXPECT_EQ(fields.text("name"), "walnut");
    EXPECT_EQ(fields.integer("views"), 720);
    EXPECT_EQ(fields.number("arcDeg"), -360.0);
    EXPECT_EQ(fields.number("half"), 0.5);
    EXPECT_TRUE(fields.boolean("flag", false));
    JsonFields detector = fields.object("detector");
    EXPECT_EQ(detector.numbers2("pitchMm"), (std::array{0.4, 0.5}));
    EXPECT_EQ(detector.numbers3("centerMm"), (std::array{1.0, 2.5, -3.0}));
    EXPECT_EQ(detector.integers3("voxels"), (std::array<Index, 3>{512, 256, 1}));
    EXPECT_EQ(detector.numbers("anglesDeg"), (std::vector{0.0, 1.5, 3.0}));
    EXPECT_EQ(detector.raw("files").size(), 2U);
    EXPECT_NO_THROW(fields.finish());
    EXPECT_NO_THROW(detector.finish());
}

TEST(JsonFields, fallsBackOnlyWhereAFieldIsAbsent) {
    const json object = parseJson(R"({"a": 3, "b": null})", "x.json");
    JsonFields fields(object, "x.json");
    EXPECT_EQ(fields.number("a", 7.0), 3.0);
    EXPECT_EQ(fields.number("c", 7.0), 7.0);
    EXPECT_EQ(fields.integer("d", 8), 8);
    EXPECT_EQ(fields.text("e", "none"), "none");
    EXPECT_EQ(fields.choice("f", {"top", "bottom"}, "top"), "top");
    EXPECT_EQ(fields.numbers2("g", {1, 2}), (std::array{1.0, 2.0}));
    EXPECT_TRUE(fields.boolean("h", true));
    EXPECT_ERROR((void)fields.number("b", 7.0), InputError,
                 "x.json: b must be a number, and is null");
}

TEST(JsonFields, namesMissingFieldsByTheirFullPath) {
    const json object = parseJson(R"({"detector": {"inner": {}}})", "scan.json");
    JsonFields fields(object, "scan.json");
    JsonFields inner = fields.object("detector").object("inner");
    EXPECT_ERROR((void)inner.number("pitchMm"), InputError,
                 "scan.json: detector.inner.pitchMm is missing");
    EXPECT_ERROR((void)fields.object("trajectory"), InputError, "scan.json: trajectory is missing");
    EXPECT_ERROR((void)fields.choice("kind", {"counts"}), InputError, "kind is missing");
}

TEST(JsonFields, tellsWhatItFoundInsteadOfTheRightType) {
    const json object = scan();
    JsonFields fields(object, "scan.json");
    EXPECT_ERROR((void)fields.number("name"), InputError,
                 "name must be a number, and is \"walnut\"");
    EXPECT_ERROR((void)fields.text("views"), InputError,
                 "views must be a text in quotes, and is 720");
    EXPECT_ERROR((void)fields.integer("half"), InputError,
                 "half must be a whole number, and is 0.5");
    EXPECT_ERROR((void)fields.boolean("views", true), InputError,
                 "views must be true or false, and is 720.");
    EXPECT_ERROR((void)fields.object("views"), InputError,
                 "views must be an object {...}, and is 720");
    EXPECT_ERROR((void)fields.numbers("detector"), InputError,
                 "must be a list of values, and is an object of 5 fields");
    JsonFields detector = fields.object("detector");
    EXPECT_ERROR((void)detector.numbers3("pitchMm"), InputError,
                 "detector.pitchMm must be a list of 3 values, and is [0.4,0.5]");
    EXPECT_ERROR((void)detector.integers3("centerMm"), InputError, "detector.centerMm[1] must be");
    EXPECT_ERROR((void)detector.numbers("files"), InputError, "detector.files[0] must be a number");
    EXPECT_ERROR(JsonFields(parseJson("[1]", "x.json"), "x.json"), InputError,
                 "x.json must be an object {...}, and is [1]");
}

TEST(ParseJson, refusesAFieldThatIsThereTwice) {
    const auto refused = [](const char* text, const char* sentence) {
        EXPECT_ERROR((void)parseJson(text, "scan.json"), InputError, sentence);
    };
    refused(R"({"views": 3, "name": "a", "views": 3})", "scan.json: views is there twice");
    refused(R"({"a": {"b": [{"pitch": 1, "c": {}, "pitch": 2}]}})", "scan.json: a.b.pitch is");
    refused(R"({"": 1, "": 2})", "is there twice");
    refused("{\"a\\nb\": 1, \"a\\u000ab\": 2}", "a\\nb is there twice");
    EXPECT_NO_THROW((void)parseJson(R"([{"a": {"a": 1}, "b": {"a": 2}}, {"a": 3}])", "x.json"));
}

TEST(JsonFields, choicesListWhatIsAllowed) {
    const json object = parseJson(R"({"kind": "photons\nand more"})", "scan.json");
    JsonFields fields(object, "scan.json");
    EXPECT_ERROR((void)fields.choice("kind", {"counts", "attenuation"}), InputError,
                 "it must be counts or attenuation.");
}

TEST(JsonFields, refusesUnknownFieldsAndListsTheKnownOnes) {
    const json object = parseJson(R"({"views": 3, "startDge": 4})", "scan.json");
    JsonFields fields(object, "scan.json", "trajectory");
    EXPECT_EQ(fields.integer("views"), 3);
    EXPECT_EQ(fields.integer("views"), 3);
    EXPECT_EQ(fields.number("startDeg", 0.0), 0.0);
    fields.know("arcDeg");
    // The one that was meant is in the list, though the file has it not; each stands there once.
    EXPECT_ERROR(fields.finish(), InputError,
                 "scan.json: trajectory.startDge is an unknown field. Known here are views, "
                 "startDeg, arcDeg");
}

TEST(JsonFields, askingWhetherAFieldIsThereDoesNotExcuseIt) {
    const json object = parseJson(R"({"odd": 3})", "x.json");
    const JsonFields fields(object, "x.json");
    EXPECT_TRUE(fields.has("odd"));
    EXPECT_FALSE(fields.has("even"));
    EXPECT_ERROR(fields.finish(), InputError, "odd is an unknown field");
}

TEST(JsonFields, numbersThatAreNoneNeverGetThrough) {
    EXPECT_ERROR((void)parseJson(R"({"a": 1e999})", "x.json"), InputError, "x.json");
    EXPECT_ERROR((void)parseJson(R"({"a": NaN})", "x.json"), InputError, "line 1, column 7");
    EXPECT_ERROR((void)parseJson(R"({"a": -Infinity})", "x.json"), InputError, "not valid JSON");
    const json object = {{"nan", std::nan("")}, {"big", 1e300}, {"wide", 18446744073709551615ULL}};
    JsonFields fields(object, "x.json");
    EXPECT_ERROR((void)fields.number("nan"), InputError, "nan is not a finite number");
    EXPECT_ERROR((void)fields.integer("big"), InputError, "big must be a whole number");
    EXPECT_ERROR((void)fields.integer("wide"), InputError, "wide must be a whole number");
}

TEST(JsonFields, messagesStayShortAndOnOneLine) {
    json object;
    object["long"] = std::string(10'000, 'x') + "\n";
    object["wide"] = std::string(29, 'x') + "\xE2\x82\xAC\xE2\x82\xAC" + std::string(99, '\xC3');
    object["list"] = std::vector<int>(5'000, 7);
    object["two\nlines"] = 1;
    JsonFields fields(object, "x.json");
    for (const char* name : {"long", "wide", "list"})
        try {
            (void)fields.number(name);
            ADD_FAILURE() << name << " is no number";
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_LT(message.size(), 120U);
            EXPECT_EQ(message.find('\n'), std::string::npos);
            EXPECT_NO_THROW((void)json(message).dump()) << "not UTF-8: " << message;
        }
    EXPECT_ERROR(fields.finish(), InputError, "two\\nlines is an unknown field");
}

// The opening quote and 56 characters of the text, and three dots: 60 in all.
TEST(JsonFields, ofALongValueSixtyCharactersAreShown) {
    const json object = {{"a", std::string(61, 'x')}, {"b", std::string(58, 'y')}};
    JsonFields fields(object, "x.json");
    EXPECT_ERROR((void)fields.number("a"), InputError,
                 "x.json: a must be a number, and is \"" + std::string(56, 'x') + "....");
    EXPECT_ERROR((void)fields.number("b"), InputError,
                 "x.json: b must be a number, and is \"" + std::string(58, 'y') + "\".");
}

TEST(ParseJson, tellsWhereItIsMalformed) {
    EXPECT_ERROR((void)parseJson("", "x.json"), InputError,
                 "x.json is not valid JSON: see line 1, column 1.");
    EXPECT_ERROR((void)parseJson("{\n  \"a\": 1,\n  b\n}", "x.json"), InputError,
                 "line 3, column 3");
    EXPECT_ERROR((void)parseJson("{\"a\": 1", "x.json"), InputError, "line 1, column 8");
    EXPECT_ERROR((void)parseJson("{} {}", "x.json"), InputError, "line 1, column 4");
}

// A file that is cut or has a byte changed is parsed or refused in one sentence; no other exception
// and no crash, whatever it holds.
TEST(ParseJson, survivesDamagedFiles) {
    const std::string whole = scan().dump(2);
    std::mt19937 random(7);
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THROW((void)parseJson(whole.substr(0, length), "x.json"), InputError);
    for (int i = 0; i < 3'000; ++i) {
        std::string damaged = whole;
        for (int n = 0; n < 3; ++n)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            (void)parseJson(damaged, "x.json");
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
}

TEST(ParseJson, depthIsNoProblem) {
    const std::string deep =
        "{\"a\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    const json object = parseJson(deep, "deep.json");
    JsonFields fields(object, "deep.json");
    EXPECT_ERROR((void)fields.number("a"), InputError, "a must be a number, and is a list of 1");
}

TEST(ReadJsonFile, namesTheFile) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "scan.json", "{\"a\": tru}");
    EXPECT_ERROR((void)readJsonFile(folder / "scan.json"), InputError,
                 "scan.json is not valid JSON: see line 1, column 10.");
    EXPECT_ERROR((void)readJsonFile(folder / "none.json"), InputError,
                 "none.json cannot be opened");
}

}  // namespace
}  // namespace gantry
