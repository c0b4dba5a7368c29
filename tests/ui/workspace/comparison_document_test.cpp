#include "ui/workspace/volume/comparison_document.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>

#include "core/report/compare_volumes.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

const VolumeGrid kComparedGrid{{13, 10, 9}, {0.5, 0.7, 1.25}, {3, -4, 5}};

float even(Index x, Index y, Index z) {
    return 0.01F * static_cast<float>(x + 2 * y + 3 * z);
}

class ComparisonDocumentTest : public testing::Test {
  protected:
    QString write(const std::string& name,
                  const std::function<float(Index, Index, Index)>& voxel = even,
                  const VolumeGrid& grid = kComparedGrid) {
        test::writeVolume(m_folder / name, grid, voxel);
        return toText(m_folder / name);
    }
    void openFirst(const QString& path) {
        m_first.open(path);
        ASSERT_TRUE(test::waitUntil([this] { return !m_first.isOpening(); }));
    }
    void compareWith(const QString& path) {
        m_comparison.open(path);
        ASSERT_TRUE(test::waitUntil([this] {
            return m_comparison.openingText().isEmpty() && !m_comparison.isComputing();
        }));
    }

    test::TemporaryFolder m_folder;
    VolumeDocument m_first;
    ComparisonDocument m_comparison{m_first};
    test::Heard<ComparisonDocument> m_heard{m_comparison};
};

TEST_F(ComparisonDocumentTest, FiguresOnOneGridAreThoseOfTheCommand) {
    const auto other = [](Index x, Index y, Index z) {
        return even(x, y, z) + (x == 4 && y == 6 && z == 2 ? 0.5F : 0.001F * static_cast<float>(x));
    };
    openFirst(write("a.mha"));
    compareWith(write("b größer.mha", other));
    ASSERT_TRUE(m_comparison.figures());
    const ComparisonFigures& figures = *m_comparison.figures();
    const VolumeComparison command = compareVolumes(readVolume(m_folder / "a.mha"),
                                                    readVolume(m_folder / "b größer.mha"), {}, 2);
    EXPECT_EQ(errorTable(figures.error), errorTable(command.error));
    EXPECT_EQ(figures.maxErrorMm, command.maxErrorMm);
    EXPECT_EQ(figures.maxErrorMm, kComparedGrid.positionMm(4, 6, 2));
    EXPECT_FALSE(figures.isResampled);
    EXPECT_TRUE(m_comparison.remarks().isEmpty()) << m_comparison.remarks().join('|').toStdString();
}

TEST_F(ComparisonDocumentTest, OtherVoxelsAreComparedWhereBothAre) {
    openFirst(write("a.mha"));
    VolumeGrid finer = kComparedGrid;
    finer.voxels = {26, 20, 9};
    finer.pitchMm = {0.25, 0.35, 1.25};
    compareWith(write(
        "b.mha", [](Index, Index, Index) { return 0.2F; }, finer));
    ASSERT_TRUE(m_comparison.figures());
    EXPECT_TRUE(m_comparison.figures()->isResampled);
    EXPECT_EQ(m_comparison.figures()->error.voxels, kComparedGrid.count());
    EXPECT_NEAR(m_comparison.figures()->error.maxError, 0.34, 1e-6);  // floats below 1

    finer.centerMm[2] = 500;
    compareWith(write("away.mha", even, finer));
    EXPECT_FALSE(m_comparison.figures());
    EXPECT_EQ(m_comparison.remarks().first(), "The volumes have no place in common.");
}

TEST_F(ComparisonDocumentTest, SaysWhyAVolumeIsNotCompared) {
    const QString path = write("a.mha");
    m_comparison.open(path);
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "Open a volume first"));
    openFirst(path);
    m_comparison.open(toText(m_folder.path() / "." / "a.mha"));
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "a.mha is the volume that is open"));
    EXPECT_FALSE(m_comparison.isActive());
    compareWith(toText(m_folder / "missing.mha"));
    EXPECT_TRUE(m_heard.hasError("missing.mha"));
    EXPECT_FALSE(m_comparison.isActive());

    const QString other = write("b.mha");
    compareWith(other);
    compareWith(toText(m_folder / "missing.mha"));
    EXPECT_TRUE(m_comparison.second());  // the comparison that there was stays
    openFirst(other);
    EXPECT_FALSE(m_comparison.isActive());
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "both volumes are now b.mha"));
}

TEST_F(ComparisonDocumentTest, EndsWithTheFirstVolume) {
    openFirst(write("a.mha"));
    compareWith(write("b.mha"));
    QSignalSpy changed(&m_comparison, &ComparisonDocument::changed);
    m_first.close();
    EXPECT_FALSE(m_comparison.isActive());
    EXPECT_FALSE(m_comparison.figures());
    EXPECT_GE(changed.count(), 1);
    EXPECT_TRUE(m_heard.has(Message::Kind::info, "The comparison ended"));
}

TEST_F(ComparisonDocumentTest, FollowsAnotherFirstVolume) {
    openFirst(write("a.mha"));
    compareWith(write("b.mha"));
    EXPECT_EQ(m_comparison.figures()->error.rmse, 0);
    openFirst(write("c.mha", [](Index x, Index y, Index z) { return even(x, y, z) + 1; }));
    ASSERT_TRUE(test::waitUntil([this] { return m_comparison.figures().has_value(); }));
    EXPECT_NEAR(m_comparison.figures()->error.rmse, 1, 1e-6);  // floats below 2
}

TEST_F(ComparisonDocumentTest, FiguresCanBeCancelledAndComputedAgain) {
    openFirst(write("a.mha"));
    compareWith(write("b.mha"));
    m_comparison.computeFigures();
    EXPECT_TRUE(m_comparison.isComputing());
    m_comparison.cancelFigures();
    test::pass(50);
    EXPECT_FALSE(m_comparison.isComputing());
    EXPECT_FALSE(m_comparison.figures());
    m_comparison.computeFigures();
    EXPECT_TRUE(test::waitUntil([this] { return m_comparison.figures().has_value(); }));
}

TEST_F(ComparisonDocumentTest, RemarksOnAnotherUnit) {
    openFirst(write("a.mha"));
    compareWith(write("hounsfield.mha",
                      [](Index x, Index y, Index z) { return 1e4F * even(x, y, z) - 1000; }));
    ASSERT_EQ(m_comparison.remarks().size(), 1);
    EXPECT_TRUE(m_comparison.remarks().first().contains("another unit"));
}

}  // namespace
}  // namespace gantry
