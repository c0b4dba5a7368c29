#include "core/scan/guess/frame_names.h"

#include <gtest/gtest.h>

namespace gantry {
namespace {

TEST(FrameNames, AWholeNameSaysThatItHoldsFrames) {
    for (const char* name : {"dark",
                             "Darks",
                             "dark_0001",
                             "DarkField",
                             "dark-fields_after",
                             "black",
                             "offset2",
                             "di",
                             "df",
                             "dark_ref",
                             "I0",
                             "i0_003",
                             "IO",
                             "ob_pre",
                             "OpenBeam",
                             "openbeam 2",
                             "flat",
                             "flats_before",
                             "Flat_After_80kV_300ms",
                             "FlatField_007",
                             "white",
                             "WhiteImages",
                             "gain",
                             "bright",
                             "blank",
                             "air",
                             "ref",
                             "refHST0000",
                             "references",
                             "background",
                             "flat_before_scan",
                             "dark_2021-03-02",
                             "ff",
                             "dark_current"})
        EXPECT_TRUE(saysFramesAlone(name, {})) << name;
    for (const char* name : {"mouse_offset_scan",
                             "white_mouse",
                             "flatfish",
                             "x_dark_y",
                             "dark_chocolate",
                             "inflated_lung",
                             "bargain",
                             "whitefish_2",
                             "open_source",
                             "scan_with_offset15",
                             "off",
                             "hair",
                             "office",
                             "diff",
                             "iodine",
                             "i01",
                             "",
                             "007",
                             "scan",
                             "p_0001",
                             "before",
                             "image_1",
                             "darkness",
                             "obfuscated",
                             "whiteboard",
                             "blackberry"})
        EXPECT_FALSE(saysFramesAlone(name, {})) << name;
}

TEST(FrameNames, TheScansOwnNameMayStandWithIt) {
    const std::vector<std::vector<std::string>> names = {partsOfName("rock_02"), {"walnut"}};
    EXPECT_TRUE(saysFramesAlone("rock_02_flat", names));
    EXPECT_TRUE(saysFramesAlone("Dark_Rock_02", names));
    EXPECT_TRUE(saysFramesAlone("walnut_di_100", names));
    EXPECT_FALSE(saysFramesAlone("rock_01_flat", names));
    EXPECT_FALSE(saysFramesAlone("rock_02", names));
    EXPECT_FALSE(saysFramesAlone("white_walnut_tree", names));
}

TEST(FrameNames, RolesAndTimesAreTold) {
    EXPECT_EQ(roleOfName("Black_3"), FrameRole::dark);
    EXPECT_EQ(roleOfName("I0_3"), FrameRole::flat);
    EXPECT_EQ(roleOfName("ref_3"), FrameRole::flat);
    EXPECT_EQ(roleOfName("dark_ref"), FrameRole::dark);
    EXPECT_EQ(roleOfName("Background"), FrameRole::darkOrFlat);
    EXPECT_EQ(roleOfName("white_mouse"), FrameRole::flat);
    for (const char* name : {"scan", "refill", "blackberry", "i_0", "proj_0001"})
        EXPECT_EQ(roleOfName(name), FrameRole::projections) << name;
    EXPECT_EQ(timeOfName("flat_post"), FrameTime::after);
    EXPECT_EQ(timeOfName("BeforeScan"), FrameTime::before);
}

TEST(FrameNames, AFamilyIsANameWithoutItsNumbers) {
    EXPECT_EQ(familyOfName("P_-90.5.TIFF"), familyOfName("p_88.tif"));
    EXPECT_NE(familyOfName("p_0003.tif"), familyOfName("p_0003 (1).tif"));
    EXPECT_NE(familyOfName("p_0003.tif"), familyOfName("p_0003_copy.tif"));
    EXPECT_NE(familyOfName("a_1.tif"), familyOfName("a_1.mha"));
}

}  // namespace
}  // namespace gantry
