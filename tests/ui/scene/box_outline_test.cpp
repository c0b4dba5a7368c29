#include "ui/scene/box_outline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gantry {
namespace {

const VolumeGrid kGrid{{10, 20, 30}, {1, 1, 1}, {0, 0, 0}};

TEST(BoxOutline, EnclosesTheVoxelsWhole) {
    const auto corners = boxCorners(kGrid);
    EXPECT_EQ(corners[0], (Vec3{-5, -10, -15}));
    EXPECT_EQ(corners[7], (Vec3{5, 10, 15}));
}

TEST(BoxOutline, EdgesOfFacesThatAreSeenAreInFront) {
    const auto frontCount = [](Vec3 eye) {
        const auto edges = boxEdges(kGrid, eye);
        return std::count_if(edges.begin(), edges.end(),
                             [](const BoxEdge& edge) { return edge.isFront; });
    };
    EXPECT_EQ(frontCount({100, 0, 0}), 4);      // one face
    EXPECT_EQ(frontCount({100, 100, 0}), 7);    // two
    EXPECT_EQ(frontCount({100, 100, 100}), 9);  // three
    EXPECT_EQ(frontCount({0, 0, 0}), 0);        // from inside
}

}  // namespace
}  // namespace gantry
