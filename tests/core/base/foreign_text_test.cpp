#include "core/base/foreign_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"

namespace gantry {
namespace {

TEST(ForeignText, NothingInItControlsATerminal) {
    EXPECT_EQ(terminalText("Müller 5 µm\tΩ\n"), "Müller 5 µm\tΩ\n");
    EXPECT_EQ(terminalText("a\033[2Jb\rc\x7F"
                           "d\a"),
              "a?[2Jb?c?d?");
    // One control character above ASCII's, in UTF-8 and as the byte of an old terminal.
    EXPECT_EQ(terminalText("a\xC2\x9B"
                           "2J"),
              "a?2J");
    EXPECT_EQ(terminalText("a\x9B"
                           "2J"),
              "a\\x9B2J");
    EXPECT_EQ(terminalText("gpj.\xE2\x80\xAE"
                           "exe"),
              "gpj.?exe");
    EXPECT_EQ(terminalText("caf\xE9"), "caf\\xE9");
    EXPECT_EQ(terminalText("cut \xE2\x82"), "cut \\xE2\\x82");
    EXPECT_EQ(shownJson(nlohmann::json("a\xC2\x9B"
                                       "b\x7F"),
                        -1),
              R"("a\u009bb\u007f")");
}

TEST(ForeignText, BytesThatAreNoUtf8ComeBackFromJson) {
    std::string all;
    for (int byte = 1; byte < 256; ++byte)
        all += static_cast<char>(byte);
    for (const std::string& name :
         {std::string("scan_\xE9/v\xFF.tif"), std::string("größe µ \xE2\x82"),
          std::string("\xED\xA0\x80 \xC0\x80 \xF5"), all}) {
        EXPECT_TRUE(isUtf8(utf8OfBytes(name)));
        EXPECT_EQ(bytesOfUtf8(utf8OfBytes(name)), name);
        const nlohmann::json stored = {{"path", name}, {"list", {name, 1}}};
        const nlohmann::json read = parseJson(jsonText(stored), "a file");
        EXPECT_EQ(JsonFields(read, "a file").text("path"), name);
    }
    EXPECT_EQ(utf8OfBytes("Müller"), "Müller");
    EXPECT_EQ(bytesOfUtf8("Müller \xEF\xBC\xA1"), "Müller \xEF\xBC\xA1");
}

TEST(ForeignText, TheMiddleOfALongTextIsLeftOut) {
    EXPECT_EQ(withoutMiddle("short", 100), "short");
    const std::string cut = withoutMiddle(std::string(500, 'a') + std::string(500, 'z'), 101);
    EXPECT_LE(cut.size(), 101U);
    EXPECT_TRUE(cut.starts_with("aaa"));
    EXPECT_TRUE(cut.ends_with("zzz"));
    std::string umlauts;
    for (int i = 0; i < 300; ++i)
        umlauts += "ü";
    for (const std::size_t max : {50, 51, 52, 53}) {
        EXPECT_TRUE(isUtf8(withoutMiddle(umlauts, max)));
        EXPECT_LE(withoutMiddle(umlauts, max).size(), max);
    }
}

}  // namespace
}  // namespace gantry
