#include "ui/models/scan/pose_table.h"

#include <gtest/gtest.h>

#include "core/simulate/jitter.h"

namespace gantry {
namespace {

CalibratedPoses somePoses() {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 600;
    scan.cone().sourceToDetectorMm = 1000;
    scan.cone().views = 40;
    scan.detector = {.columns = 50, .rows = 40, .pitchMm = {4, 4}};
    return *jittered(scan, 1, 0.5, 7).poses();
}

TEST(PoseTable, ShowsTwelveNumbersAndWhatIsLeftOfTheCircle) {
    PoseTable table;
    EXPECT_EQ(table.rowCount(), 0);
    const CalibratedPoses poses = somePoses();
    table.setPoses(poses);
    EXPECT_EQ(table.rowCount(), 40);
    EXPECT_EQ(table.columnCount(), 14);
    EXPECT_EQ(table.headerData(0, Qt::Horizontal, Qt::DisplayRole), "Source x, mm");
    EXPECT_EQ(table.headerData(11, Qt::Horizontal, Qt::DisplayRole), "v step z, mm");
    EXPECT_EQ(table.headerData(3, Qt::Vertical, Qt::DisplayRole), 3);
    EXPECT_EQ(table.data(table.index(7, 4), Qt::EditRole).toDouble(),
              poses.poses()[7].detectorCenterMm.y);
    EXPECT_LT(table.data(table.index(7, 12), Qt::DisplayRole).toDouble(), 2);
}

TEST(PoseTable, TellsAnEditAndKeepsItsOwnNumbers) {
    PoseTable table;
    const CalibratedPoses poses = somePoses();
    table.setPoses(poses);
    int view = -1;
    CalibratedPoses edited;
    QObject::connect(&table, &PoseTable::edited, [&](int at, const CalibratedPoses& all) {
        view = at;
        edited = all;
    });
    ASSERT_TRUE(table.setData(table.index(9, 2), 12.5, Qt::EditRole));
    EXPECT_EQ(view, 9);
    EXPECT_EQ(edited.poses()[9].sourceMm.z, 12.5);
    EXPECT_EQ(edited.poses()[8], poses.poses()[8]);
    EXPECT_EQ(table.data(table.index(9, 2), Qt::EditRole).toDouble(), poses.poses()[9].sourceMm.z);
    for (const QVariant& wrong : {QVariant("a"), QVariant("nan"), QVariant("1e999")})
        EXPECT_FALSE(table.setData(table.index(9, 2), wrong, Qt::EditRole));
    EXPECT_FALSE(table.setData(table.index(9, 12), 1, Qt::EditRole));
}

TEST(PoseTable, DifferencesFromTheMeanSumToNothing) {
    const CalibratedPoses poses = somePoses();
    for (const PoseParameter& parameter : poseParameters()) {
        double sum = 0;
        for (const double difference : differencesFromMean(poses, parameter))
            sum += difference;
        EXPECT_NEAR(sum, 0, 1e-8) << parameter.name;
    }
    EXPECT_TRUE(meanCircleText(poses).startsWith("Mean circle: SOD "));
    EXPECT_FALSE(meanCircleText(CalibratedPoses()).isEmpty());
}

}  // namespace
}  // namespace gantry
