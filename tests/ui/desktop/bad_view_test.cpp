#include <gtest/gtest.h>

#include <QPushButton>
#include <filesystem>

#include "core/base/file.h"
#include "tests/ui/desktop/desk.h"

namespace gantry::test {
namespace {

// From a folder with a damaged view to the volume of all others, in three actions.
TEST(BadView, IsLeftOutAndTheVolumeMade) {
    Desk desk;
    const std::filesystem::path scan = desk.makeScan(60, 48);
    std::filesystem::resize_file(scan / "proj" / "proj_0059.tif", 90);
    desk.openScan(scan);
    auto& reconstruct = desk.part<QPushButton>("reconstruct");
    auto& leaveOut = desk.part<QPushButton>("leaveOutViews");
    ASSERT_TRUE(waitUntil([&] { return leaveOut.isVisible(); }));
    EXPECT_TRUE(waitUntil([&] {  // without scrolling
        return leaveOut.visibleRegion().boundingRect() == leaveOut.rect();
    }));
    EXPECT_FALSE(reconstruct.isEnabled());
    test::screenshots(desk.window(), "window-bad-view");
    QTest::mouseClick(&leaveOut, Qt::LeftButton);
    ASSERT_TRUE(waitUntil([&] { return reconstruct.isEnabled(); }));
    QTest::mouseClick(&reconstruct, Qt::LeftButton);
    const auto& jobs = desk.workspace().jobs().jobs();
    ASSERT_TRUE(
        waitUntil([&] { return !jobs.empty() && jobs.front().status.state == JobState::done; }));
    const std::string report = readTextFile(toPath(jobs.front().folder) / "report.html");
    EXPECT_NE(report.find("1 of 60 views was left out. View 59: proj_0059.tif is damaged"),
              std::string::npos);
    EXPECT_NE(report.find("full circle"), std::string::npos);
}

}  // namespace
}  // namespace gantry::test
