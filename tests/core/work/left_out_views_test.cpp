#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/base/file.h"
#include "core/io/tiff/tiff_file.h"
#include "tests/support/damaged_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

// Jobs on a scan of which views are left out.
class JobsWithoutViews : public DamagedScan {
  protected:
    using DamagedScan::DamagedScan;
    JobSpec job(const char* name) const { return jobOf(m_scan, 21, m_folder / name); }
};

TEST_F(JobsWithoutViews, AViewThatBreaksOffWhileItIsReadIsNamed) {
    for (Index view = 0; view < 60; ++view) {
        TiffReader reader(file(view));
        const TiffImage image = reader.images().front();
        std::vector<std::byte> pixels(static_cast<std::size_t>(2 * image.rows * image.columns));
        HostBuffer<std::byte> scratch;
        reader.readRows(image, {0, image.rows}, pixels, scratch);
        fs::remove(file(view));
        TiffPage page;
        page.columns = image.columns;
        page.rows = image.rows;
        page.deflate = true;
        TiffWriter writer(file(view), TiffWriter::Mode::classic);
        writer.write(page, pixels);
        writer.close();
    }
    std::fstream stored(file(41), std::ios::in | std::ios::out | std::ios::binary);
    stored.seekp(20);
    stored << std::string(200, '\xee');
    stored.close();
    EXPECT_NO_THROW((void)openScan(m_scan));
    EXPECT_ERROR((void)run(job("v.mha")), InputError, "View 41: proj_0041.tif is damaged (strip");
    EXPECT_ERROR((void)run(job("v.mha")), InputError, "with --skip-views 41 or --skip-bad-views");
    leaveOut(findBadViews(m_scan, 2, {}));
    EXPECT_EQ(m_scan.projections.skipViews, (std::vector<Index>{41}));
    EXPECT_NO_THROW((void)run(job("v.mha")));
}

TEST_F(JobsWithoutViews, RecordReportAndLogNameTheViews) {
    damage(17);
    fs::remove(file(30));
    leaveOut({5, 17, 30});
    const JobSpec spec = job("v.mha");
    (void)run(spec);
    const std::string said =
        "3 of 60 views were left out. View 5: proj_0005.tif was to be left out. View 17: "
        "proj_0017.tif is damaged (its directory cannot be read). View 30: proj_0030.tif is "
        "missing.";
    const fs::path folder = jobFolderFor(spec.output.path);
    const std::string report = readTextFile(folder / "report.html");
    EXPECT_NE(report.find(said), std::string::npos);
    EXPECT_NE(report.find("57 of 60 views of 33 × 21 pixels"), std::string::npos);
    EXPECT_NE(readTextFile(folder / "events.jsonl").find(said), std::string::npos);
    const std::string record = readTextFile(m_folder / "v.mha.provenance.json");
    EXPECT_NE(record.find("\"viewsLeftOut\""), std::string::npos);
    EXPECT_NE(record.find("\"view\": 17"), std::string::npos);
    EXPECT_NE(record.find("proj_0030.tif is missing."), std::string::npos);
    EXPECT_NE(record.find(said), std::string::npos);
    // The stored request names the same views.
    EXPECT_EQ(JobDirectory::open(folder).spec().scan.projections.skipViews,
              (std::vector<Index>{5, 17, 30}));
}

TEST_F(JobsWithoutViews, AResumedJobLeavesTheSameViewsOut) {
    leaveOut({0, 33});
    damage(33);
    const Volume expected = reconstructed(job("whole.mha"));
    JobSpec spec = job("stopped.mha");
    allowMemoryForSlabs(spec, 3);
    std::stop_source stop;
    EXPECT_THROW((void)run(spec, stop.get_token(),
                           [&](const Progress& progress) {
                               if (progress.fraction > 0.5) stop.request_stop();
                           }),
                 Cancelled);
    (void)resume(spec);
    EXPECT_LT(relativeRmse(readVolume(spec.output.path), expected), 1e-5);
}

// 120 views, so that a single one of them is no more than 3° of the circle.
class FewerViews : public JobsWithoutViews {
  protected:
    FewerViews() : JobsWithoutViews(120) {}
};

TEST_F(FewerViews, TheVolumeStaysThatOfTheFullCircle) {
    const Volume whole = reconstructed(job("whole.mha"));
    for (const std::vector<Index>& views :
         std::vector<std::vector<Index>>{{0}, {119}, {60, 61, 62}}) {
        leaveOut(views);
        // Where a view is missing, a streak remains of what its neighbours do not show: of the
        // order of its share of the circle, 1/120 for one. Weights for another kind of scan change
        // all.
        const double share = static_cast<double>(views.size()) / 120;
        EXPECT_LT(relativeRmse(reconstructed(job("v.mha")), whole), 2 * share);
    }
    // Declared as an arc of 357° without that view, it is the same scan.
    m_scan.geometry.cone().arcDeg = 357;
    m_scan.geometry.cone().views = 119;
    leaveOut({});
    fs::remove(file(119));
    EXPECT_EQ(openScan(m_scan).redundancy.kind, Redundancy::fullCircle);
    EXPECT_LT(relativeRmse(reconstructed(job("arc.mha")), whole), 2.0 / 120);
}

}  // namespace
}  // namespace gantry
