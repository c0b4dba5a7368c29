#include "core/phantom/shapes_file.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class ShapesFile : public testing::Test {
  protected:
    std::filesystem::path file(const std::string& shapes) {
        const auto path = m_folder.path() / "größer.json";
        writeFileAtomically(path, "{\"gantryShapes\": 1, \"shapes\": [" + shapes + "]}");
        return path;
    }

  private:
    test::TemporaryFolder m_folder;
};

TEST_F(ShapesFile, EveryKindOfShapeIsRead) {
    const Phantom phantom = readShapesFile(file(
        R"({"kind": "sphere", "centerMm": [1, 2, 3], "radiusMm": 4},
           {"kind": "cylinder", "centerMm": [0, 0, 5], "radiusMm": 10, "heightMm": 30,
            "attenuation": 0.05},
           {"kind": "ellipsoid", "centerMm": [0, 0, 0], "halfAxesMm": [5, 2, 1],
            "rotationDeg": 90, "attenuation": -0.01})"));
    EXPECT_EQ(phantom.name, "größer");
    ASSERT_EQ(phantom.shapes.size(), 3U);
    EXPECT_NEAR(phantom.attenuationAt({1, 2, 6.9}), 0.07, 1e-12);
    EXPECT_NEAR(phantom.attenuationAt({9, 0, 19.9}), 0.05, 1e-12);
    EXPECT_NEAR(phantom.attenuationAt({9, 0, 20.1}), 0, 1e-12);
    EXPECT_NEAR(phantom.attenuationAt({0, 4.9, 0}), 0.04, 1e-12);
    EXPECT_NEAR(phantom.attenuationAt({4.9, 0, -1.5}), 0.05, 1e-12);
}

TEST_F(ShapesFile, WhatIsWrongIsNamed) {
    const auto refused = [&](const std::string& shapes, const char* why) {
        EXPECT_ERROR((void)readShapesFile(file(shapes)), InputError, why);
    };
    refused("", "shapes must be a list of 1 to 10000");
    refused(R"({"kind": "cube"})", "shapes[0].kind");
    refused(R"({"kind": "sphere", "centerMm": [1, 2, 3], "radiusMm": -4})",
            "shapes[0].radiusMm is -4 mm");
    refused(R"({"kind": "sphere", "centerMm": [1, 2, 3], "radiusMm": 4, "colour": 2})", "colour");
    refused(R"({"kind": "ellipsoid", "centerMm": [1, 2, 3], "halfAxesMm": [1, 0, 2]})",
            "halfAxesMm has 0 mm");
}

}  // namespace
}  // namespace gantry
