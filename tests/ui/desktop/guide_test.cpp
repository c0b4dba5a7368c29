#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "ui/desktop/help/guide_bar.h"
#include "ui/models/text.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

class GuideTest : public testing::Test {
  protected:
    void SetUp() override {
        (void)test::simulated(test::smallScan(12, 24, 20, 410), folder / "scan");
        workspace.scan().open(toText(folder / "scan"));
        ASSERT_TRUE(test::waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
        test::show(guide, {900, 70});
        guide.begin();
        auto& next = *guide.findChild<QPushButton*>("guideNext");
        QTest::mouseClick(&next, Qt::LeftButton);
        QTest::mouseClick(&next, Qt::LeftButton);
        ASSERT_EQ(guide.step(), 2);
        // What is not made yet cannot be stepped to.
        EXPECT_FALSE(next.isVisible());
    }
    bool says(const char* words) {
        const auto* text = guide.findChild<QLabel*>("guideText");
        return test::waitUntil([&] { return text->text().contains(words); });
    }
    JobSpec request() {
        JobSpec spec = workspace.scan().request().job;
        spec.output.path = folder / "volume.mha";
        return spec;
    }

    test::TemporaryFolder folder;
    // Its workers end at once, with nothing made.
    Workspace workspace{test::machine(), "/bin/false"};
    GuideBar guide{workspace};
};

TEST_F(GuideTest, DoesNotCallAVolumeFinishedWhoseJobFailed) {
    const QString job = workspace.jobs().start(request(), {});
    ASSERT_FALSE(job.isEmpty());
    EXPECT_TRUE(says("failed"));
    EXPECT_EQ(guide.step(), 3);
    EXPECT_FALSE(guide.findChild<QPushButton*>("guideNext")->isVisible());
    // With the job gone it is to be started again.
    workspace.jobs().forget(job);
    EXPECT_TRUE(says("Press Reconstruct"));
    EXPECT_EQ(guide.step(), 2);
}

TEST_F(GuideTest, EndsWithTheScan) {
    workspace.scan().close();
    EXPECT_FALSE(guide.isVisible());
    EXPECT_EQ(guide.step(), -1);
}

}  // namespace
}  // namespace gantry
