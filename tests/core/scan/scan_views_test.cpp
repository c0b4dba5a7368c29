#include "core/scan/scan_views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/base/file.h"
#include "core/io/tiff/tiff_file.h"
#include "tests/support/damaged_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

using ScanViewsTest = DamagedScan;

TEST_F(ScanViewsTest, ABadViewIsRefusedByNumberAndFileAndListedForWhoAsks) {
    damage(17);
    EXPECT_ERROR((void)openScan(m_scan), InputError,
                 "View 17: proj_0017.tif is damaged (its directory cannot be read). Leave it out "
                 "with --skip-views 17 or --skip-bad-views");
    const OpenScan listed = opened();
    EXPECT_EQ(listed.source->info().views, 59);
    ASSERT_EQ(listed.leftOut.size(), 1U);
    EXPECT_EQ(listed.leftOut[0].view, 17);
    EXPECT_FALSE(listed.leftOut[0].isWanted);
    EXPECT_EQ(listed.sourceView(16), 16);
    EXPECT_EQ(listed.sourceView(17), std::nullopt);
    EXPECT_EQ(listed.sourceView(18), 17);
    EXPECT_EQ(listed.numberOf(17), 18);
    EXPECT_EQ(findBadViews(m_scan, 2, {}), (std::vector<Index>{17}));
    fs::remove(file(30));
    EXPECT_ERROR((void)openScan(m_scan), InputError,
                 "2 views cannot be used. View 17: proj_0017.tif is damaged (its directory cannot "
                 "be read). View 30: proj_0030.tif is missing. Leave them out with --skip-views "
                 "17,30 or");
    leaveOut({17, 30});
    EXPECT_EQ(openScan(m_scan).geometry.views, 58);
}

TEST_F(ScanViewsTest, AFullCircleKeepsItsWeightsWhicheverViewIsLeftOut) {
    const OpenScan whole = openScan(m_scan);
    for (const std::vector<Index>& views :
         std::vector<std::vector<Index>>{{0}, {59}, {30}, {29, 30}}) {
        leaveOut(views);
        const OpenScan scan = openScan(m_scan);
        EXPECT_EQ(scan.redundancy.kind, Redundancy::fullCircle);
        EXPECT_EQ(scan.redundancy.reason, whole.redundancy.reason);
        EXPECT_EQ(scan.geometry.views, 60 - static_cast<Index>(views.size()));
        double sum = 0;
        for (const double weight : scan.geometry.weightsRad)
            sum += weight;
        EXPECT_NEAR(degrees(sum), 360, 1e-9);
        EXPECT_EQ(scan.description.geometry, m_scan.geometry);
        // Their files are no part of the input.
        EXPECT_EQ(std::count(scan.files.begin(), scan.files.end(), file(views[0])), 0);
        EXPECT_EQ(scan.files.size(), whole.files.size() - views.size());
    }
}

TEST_F(ScanViewsTest, WhichViewLacksAtAnEndIsForTheUserToSay) {
    fs::remove(file(59));
    EXPECT_ERROR((void)openScan(m_scan), InputError, "--skip-views 0); if it is the last, view 59");
    leaveOut({59});
    EXPECT_EQ(openScan(m_scan).numberOf(58), 58);
    leaveOut({0});
    EXPECT_EQ(openScan(m_scan).numberOf(0), 1);
    EXPECT_EQ(fs::path(openScan(m_scan).source->viewName(0)), file(0));
    leaveOut({0, 1, 7});  // the first one has no image, the others are good ones
    EXPECT_EQ(openScan(m_scan).geometry.views, 57);
    EXPECT_EQ(fs::path(openScan(m_scan).source->viewName(0)), file(1));
    leaveOut({7});  // stored under consecutive numbers, though one of them was never taken
    EXPECT_EQ(openScan(m_scan).numberOf(7), 8);
    EXPECT_EQ(fs::path(openScan(m_scan).source->viewName(7)), file(7));
    leaveOut({7, 8});
    EXPECT_ERROR((void)openScan(m_scan), InputError, "60 views, but");
    leaveOut({});
    fs::copy_file(file(0), file(59));
    fs::copy_file(file(0), file(60));
    EXPECT_ERROR((void)openScan(m_scan), InputError, "61 images");
}

TEST(LeftOutText, NamesAllNumbersAndTheFirstReasons) {
    std::vector<LeftOutView> views;
    for (const Index view : {3, 7, 8, 9, 10, 11, 12, 20, 21, 22, 40})
        views.push_back({view, {}, false, true, "there is no image of it."});
    const std::string text = leftOutText(views, 90);
    EXPECT_TRUE(
        text.starts_with("11 of 90 views were left out, those of numbers 3,7-12,20-22,40. "
                         "View 3: there is no image of it. View 7: "))
        << text;
    EXPECT_TRUE(text.ends_with("View 22: there is no image of it. And 1 more.")) << text;
}

TEST_F(ScanViewsTest, ViewsThatAreNotThereCannotBeLeftOut) {
    leaveOut({60});
    EXPECT_ERROR((void)openScan(m_scan), InputError, "projections.skipViews: names view 60");
}

// The compressed pixels of that view are noise; its header is good.

}  // namespace
}  // namespace gantry
