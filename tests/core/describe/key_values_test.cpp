#include "core/describe/key_values.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

std::vector<KeyValue> ini(const std::string& text) {
    return parseKeyValues(text, KeySyntax::ini, "a.log");
}
std::vector<KeyValue> tags(const std::string& text) {
    return parseKeyValues(text, KeySyntax::tags, "a.nsipro");
}

TEST(KeyValues, AnIniHasSectionsAndLines) {
    const std::vector<KeyValue> keys = ini(
        "\xEF\xBB\xBF[A b]\r\n  Key one = 1,5 \r\n; a note\r\nstray\r\n\r\n[C]\r\nempty=\r\n=x");
    ASSERT_EQ(keys.size(), 4U);
    EXPECT_EQ(keys[0].section, "A b");
    EXPECT_EQ(keys[0].key, "Key one");
    EXPECT_EQ(keys[0].value, "1,5");
    EXPECT_EQ(keys[0].line, 2);
    EXPECT_EQ(keys[1].key, "stray");
    EXPECT_EQ(keys[1].value, "");
    EXPECT_EQ(keys[2].section, "C");
    EXPECT_EQ(keys[2].line, 7);
    EXPECT_EQ(keys[3].value, "x");
}

TEST(KeyValues, TextOfWindowsBecomesUtf8) {
    EXPECT_EQ(ini("name=v|tome|x m \xB5"
                  "CT")[0]
                  .value,
              "v|tome|x m µCT");
    EXPECT_EQ(ini("name=µCT")[0].value, "µCT");
    EXPECT_EQ(asUtf8("\xC3"), "Ã");  // cut off within a character
}

TEST(KeyValues, GroupsOfTagsArePaths) {
    const std::vector<KeyValue> keys =
        tags("<P>\n <name>\n <G>\n  <a b>1 2\n  <G>\n   <c>3\n  </G>\n </G>\n <d>4\n</P>\n");
    ASSERT_EQ(keys.size(), 4U);
    EXPECT_EQ(keys[0].key, "name");  // empty, and never closed
    EXPECT_EQ(keys[0].section, "P");
    EXPECT_EQ(keys[1].section, "P/G");
    EXPECT_EQ(keys[1].value, "1 2");
    EXPECT_EQ(keys[2].section, "P/G/G");
    EXPECT_EQ(keys[3].section, "P");
    EXPECT_EQ(keys[3].line, 9);
}

TEST(KeyValues, HostileTextIsRefusedInASentence) {
    EXPECT_ERROR((void)ini(""), InputError, "has no keys");
    EXPECT_ERROR((void)ini(std::string("a=1\0b", 5)), InputError, "zero byte");
    EXPECT_ERROR((void)ini(std::string(1'000'000, '\n')), InputError, "more than 100000 lines");
    EXPECT_ERROR((void)ini(std::string(5'000'000, 'x')), InputError, "at most 4.00 MB");
    EXPECT_ERROR((void)tags("<a>1\nb\n"), InputError, "line 2: is \"b\"");
    EXPECT_ERROR((void)tags("<a>1\n</b>\n"), InputError, "the group b ends but does not begin");
    std::string deep;
    for (int i = 0; i < 1000; ++i)
        deep += "<g>\n";
    deep += "<a>1\n";
    for (int i = 0; i < 1000; ++i)
        deep += "</g>\n";
    EXPECT_ERROR((void)tags(deep), InputError, "more than 64 groups");
}

TEST(KeyValues, KeysAreComparedByLettersAndDigits) {
    EXPECT_EQ(plainKey("Camera X/Y Ratio"), plainKey("CameraXYRatio"));
    EXPECT_NE(plainKey("Camera to Source (mm)"), plainKey("Camera to Source (um)"));
}

}  // namespace
}  // namespace gantry
