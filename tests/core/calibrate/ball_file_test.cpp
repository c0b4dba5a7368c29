#include "core/calibrate/balls/ball_file.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class BallFileTest : public testing::Test {
  protected:
    std::vector<Vec3> read(const std::string& text, const char* name = "balls.csv") {
        writeFileAtomically(m_folder / name, text);
        return readBallFile(m_folder / name);
    }
    test::TemporaryFolder m_folder;
};

TEST_F(BallFileTest, ColumnsInAnyOrderAndBackAgain) {
    const std::vector<Vec3> balls =
        read("# a phantom\nzMm, ball, xMm, yMm\n3,1,1.5,+2\n\n6,2,4,-5e0\n9,3,7,8\n0,4,0,0.1\n");
    ASSERT_EQ(balls.size(), 4U);
    EXPECT_EQ(balls[0], (Vec3{1.5, 2, 3}));
    EXPECT_EQ(balls[1], (Vec3{4, -5, 6}));
    EXPECT_EQ(read(toBallCsv(balls)), balls);
}

TEST_F(BallFileTest, SpheresOfShapesAndOfASimulatedPhantom) {
    const std::vector<Vec3> balls = read(
        R"({"gantryShapes": 1, "shapes": [
            {"kind": "cylinder", "centerMm": [0, 0, 0], "radiusMm": 9, "heightMm": 20},
            {"kind": "sphere", "centerMm": [1, 2, 3], "radiusMm": 1},
            {"kind": "sphere", "centerMm": [4, 2, 3], "radiusMm": 1},
            {"kind": "sphere", "centerMm": [1, 6, 3], "radiusMm": 1},
            {"kind": "sphere", "centerMm": [1, 2, 8], "radiusMm": 1}]})",
        "shapes.json");
    ASSERT_EQ(balls.size(), 4U);
    EXPECT_EQ(balls[3], (Vec3{1, 2, 8}));
    EXPECT_EQ(read(R"({"gantryPhantom": 1, "phantom": "ball-rings", "scaleMm": 50,
                       "centerMm": [0, 0, 0], "density": 0.01})",
                   "phantom.json")
                  .size(),
              19U);
}

TEST_F(BallFileTest, HostileFilesAreSentences) {
    const std::string head = "xMm,yMm,zMm\n";
    EXPECT_ERROR((void)read(""), InputError, "balls.csv holds no balls");
    EXPECT_ERROR((void)read(head), InputError, "holds no balls");
    EXPECT_ERROR((void)read("xMm,yMm\n"), InputError, "line 1: the column zMm is missing");
    EXPECT_ERROR((void)read("x,yMm,zMm\n"), InputError, "line 1: the column 'x' is unknown");
    EXPECT_ERROR((void)read("xMm,yMm,zMm,xMm\n"), InputError, "xMm is named twice");
    EXPECT_ERROR((void)read(head + "1,2\n"), InputError, "line 2: there are 2 values for 3");
    EXPECT_ERROR((void)read(head + "1,2,3\n\n4,nan,6\n"), InputError, "line 4: yMm is 'nan'");
    EXPECT_ERROR((void)read(head + "1,2,1e9\n"), InputError, "line 2: ball 1 has zMm = 1");
    EXPECT_ERROR((void)read("ball,xMm,yMm,zMm\n0,2,3,4\n"), InputError,
                 "ball is 0, where 1 follows; balls are counted from 1");
    EXPECT_ERROR((void)read(head + "1,2,3\n4,5,6\n7,8,8\n"), InputError,
                 "has 3 balls; at least 4 are needed");
    EXPECT_ERROR((void)read(head + "1,2,3\n4,5,6\n1,2,3\n0,0,1\n"), InputError,
                 "balls 1 and 3 are in the same place");
    EXPECT_ERROR((void)read(head + "1,1,1\n2,2,2\n3,3,3\n9,9,9\n"), InputError, "lie on one line");
    EXPECT_ERROR((void)readBallFile(m_folder / "nowhere.csv"), InputError, "nowhere.csv");
    EXPECT_ERROR((void)read("[1, 2]", "list.json"), InputError, "list.json");
    std::string many = head;
    for (int i = 0; i < 201; ++i)
        many += std::to_string(i) + "," + std::to_string(i * i) + ",1\n";
    EXPECT_ERROR((void)read(many), InputError, "line 202: there are more than 200 balls");
}

}  // namespace
}  // namespace gantry
