#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gantry {
namespace {

TEST(JsonText, IsReadBackInItsOrder) {
    const nlohmann::ordered_json value = {{"b", 1.25}, {"a", {1, 2}}};
    EXPECT_EQ(jsonText(value, -1), R"({"b":1.25,"a":[1,2]})");
    EXPECT_EQ(ownOrderedJson(jsonText(value)), value);
    const nlohmann::json sorted = ownJson(jsonText(value));
    EXPECT_EQ(jsonText(sorted, -1), R"({"a":[1,2],"b":1.25})");
}

// That they come back from files is in foreign_text_test.cpp.
TEST(JsonText, BytesThatAreNoTextAreShownAndStored) {
    const nlohmann::json value = {{"path", "\xff.tif"}};
    EXPECT_EQ(shownJson(value, -1), "{\"path\":\"\xEF\xBF\xBD.tif\"}");
    EXPECT_NO_THROW((void)ownJson(jsonText(value)));
}

}  // namespace
}  // namespace gantry
