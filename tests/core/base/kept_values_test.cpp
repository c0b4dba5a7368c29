#include "core/base/kept_values.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using nlohmann::json;

const json kKey = {{"disk", "/data"}, {"what", 3}};

TEST(KeptValues, AreThereInTheNextRunUntilTheyAreReplaced) {
    const test::TemporaryFolder folder;
    const auto file = folder / "deeper" / "kept.json";
    const auto kept = [&] { return KeptValues(file, "gantryTest", "found"); };
    EXPECT_FALSE(kept().find(kKey));
    kept().keep(kKey, {{"speed", 1.5}});
    kept().keep({{"disk", "/data"}, {"what", 4}}, {{"speed", 2}});
    kept().keep(kKey, {{"speed", 2.5}});
    ASSERT_TRUE(kept().find(kKey));
    EXPECT_EQ(positiveOf(*kept().find(kKey), "speed"), 2.5);
    EXPECT_EQ(positiveOf(*kept().find(kKey), "weight"), 0);
    EXPECT_EQ(kept().findPositive(kKey, "speed"), 2.5);
    EXPECT_FALSE(kept().findPositive(kKey, "weight"));
    EXPECT_FALSE(kept().findPositive({{"disk", "/other"}}, "speed"));
    EXPECT_FALSE(kept().find({{"disk", "/data"}, {"what", "3"}}));
    EXPECT_FALSE(KeptValues(file, "gantryOther", "found").find(kKey));
}

TEST(KeptValues, NumbersThatCannotBeAreNone) {
    EXPECT_EQ(positiveOf({{"speed", -1}}, "speed"), 0);
    EXPECT_EQ(positiveOf({{"speed", "fast"}}, "speed"), 0);
}

TEST(KeptValues, WhereNothingIsKeptNothingIsSaid) {
    const KeptValues none({}, "gantryTest", "found");
    none.keep(kKey, {{"speed", 1}});
    EXPECT_FALSE(none.find(kKey));
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "broken", "[");
    EXPECT_FALSE(KeptValues(folder / "broken", "gantryTest", "found").find(kKey));
}

}  // namespace
}  // namespace gantry
