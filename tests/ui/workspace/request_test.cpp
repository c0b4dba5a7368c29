#include "ui/workspace/scan/request.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/io/series/match_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_scan.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

ScanFile plainScan(const fs::path& folder) {
    ScanFile scan;
    scan.name = "walnut";
    scan.folder = folder;
    scan.path = folder / "scan.json";
    scan.geometry = test::smallScan().geometry;
    scan.projections.files = "proj/*.tif";
    scan.projections.flat = "flat/*.tif";
    return scan;
}

bool names(const std::vector<Problem>& problems, const std::string& field) {
    for (const Problem& problem : problems)
        if (problem.field == field) return true;
    return false;
}

TEST(Request, BeginsWithAFittedVolumeBesideTheScan) {
    const test::TemporaryFolder folder;
    const Request request = requestFor(plainScan(folder.path()));
    EXPECT_TRUE(request.volumeIsFitted);
    EXPECT_EQ(request.job.volume, fitGrid(request.job.scan.geometry));
    EXPECT_EQ(request.job.output.path, folder / "walnut.mha");
    EXPECT_TRUE(problemsOf(request).empty());
}

TEST(Request, KeepsTheVolumeThatTheScanAsksFor) {
    const test::TemporaryFolder folder;
    ScanFile scan = plainScan(folder.path());
    scan.volume = VolumeGrid{{8, 9, 10}, {2, 2, 2}, {0, 0, 1}};
    const Request request = requestFor(scan);
    EXPECT_FALSE(request.volumeIsFitted);
    EXPECT_EQ(request.job.volume, *scan.volume);
}

TEST(Request, NeverNamesAnOutputThatIsThereOrBeingMade) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "walnut.mha", "a volume");
    EXPECT_EQ(requestFor(plainScan(folder.path())).job.output.path, folder / "walnut-2.mha");
    fs::create_directory(folder / "walnut-2.mha.job");
    EXPECT_EQ(freeOutputPath(folder / "walnut.mha"), folder / "walnut-3.mha");
    EXPECT_EQ(freeOutputPath(folder / "other.tif"), folder / "other.tif");
    fs::create_directory(folder / "slices");
    EXPECT_EQ(freeOutputPath(folder / "slices" / ""), folder / "slices-2" / "");
}

TEST(Request, MakesAFileNameOfAnyScanName) {
    const test::TemporaryFolder folder;
    ScanFile scan = plainScan(folder.path());
    const auto outputFor = [&](const std::string& name) {
        scan.name = name;
        return requestFor(scan).job.output.path;
    };
    EXPECT_EQ(outputFor("a/b"), folder / "a_b.mha");
    EXPECT_EQ(outputFor("../../etc"), folder / "_._.._etc.mha");
    EXPECT_EQ(outputFor("Nuß \"groß\""), folder / "Nuß \"groß\".mha");
    EXPECT_EQ(outputFor(""), folder / (folder.path().filename().string() + ".mha"));
    EXPECT_EQ(outputFor("line\nbreak"), folder / "line break.mha");
    EXPECT_LT(outputFor(std::string(5000, 'x')).filename().string().size(), 200U);
}

TEST(Request, IsTheSameUntilAFieldDiffers) {
    const test::TemporaryFolder folder;
    const Request request = requestFor(plainScan(folder.path()));
    EXPECT_TRUE(isSame(request, request));
    Request other = request;
    other.job.scan.geometry.detector.tiltDeg = 1;
    EXPECT_FALSE(isSame(request, other));
    other = request;
    other.job.filter.cutoff = 0.5;
    EXPECT_FALSE(isSame(request, other));
    other = request;
    other.volumeIsFitted = false;
    EXPECT_FALSE(isSame(request, other));
    for (void (*change)(JobSpec&) :
         {+[](JobSpec& job) { job.gpuKernel = "tile"; }, +[](JobSpec& job) { job.fast = true; },
          +[](JobSpec& job) { job.filterOn = FilterOn::cpu; },
          +[](JobSpec& job) { job.devices = {1}; },
          +[](JobSpec& job) { job.deviceMemoryBytes = 1; }}) {
        other = request;
        change(other.job);
        EXPECT_FALSE(isSame(request, other));
    }
}

TEST(Request, TellsWhichFieldDiffers) {
    const ScanFile scan = plainScan("/data");
    ScanFile other = scan;
    other.geometry.detector.pitchMm[1] = 3;
    EXPECT_FALSE(isSameField("detector.pitchMm", scan, other));
    EXPECT_TRUE(isSameField("detector.pitchMm[0]", scan, other));
    EXPECT_FALSE(isSameField("detector.pitchMm[1]", scan, other));
    EXPECT_TRUE(isSameField("detector.columns", scan, other));
    EXPECT_TRUE(isSameField("nonsense", scan, other));
    EXPECT_TRUE(isSameImages(scan, other));
    other.geometry.cone().arcDeg = -other.geometry.cone().arcDeg;
    EXPECT_TRUE(isSameField("trajectory.arcDeg", scan, other));
    EXPECT_FALSE(isSameField("trajectory.direction", scan, other));
    other.geometry.detector.offsetMm[1] = 2;
    EXPECT_TRUE(isSameField("detector.offsetMm[0]", scan, other));
    EXPECT_FALSE(isSameField("detector.offsetMm[1]", scan, other));
    EXPECT_FALSE(isSameScan(scan, other));
    other.projections.dark = "dark/*.tif";
    EXPECT_FALSE(isSameImages(scan, other));
    ScanFile still = scan;
    still.geometry.cone().arcDeg = 0;
    other = still;
    other.geometry.cone().arcDeg = -0.0;
    EXPECT_FALSE(isSameScan(still, other)) << "the other direction, before the arc is typed";
}

TEST(Request, TellsWhatIsWrong) {
    const ScanFile scan = plainScan("/data");
    Request request = requestFor(scan);
    request.job.scan.geometry.cone().arcDeg = 90;
    EXPECT_TRUE(names(problemsOf(request), "trajectory.arcDeg"));
    request = requestFor(scan);
    request.job.scan.projections.flat.clear();
    EXPECT_TRUE(names(problemsOf(request), "projections.flat"));
    request = requestFor(scan);
    request.job.volume.voxels[1] = 0;
    EXPECT_TRUE(hasError(problemsOf(request)));
}

TEST(Request, OutlivesNumbersThatAreNone) {
    Request request = requestFor(plainScan("/data"));
    ScanGeometry& geometry = request.job.scan.geometry;
    const VolumeGrid before = request.job.volume;
    geometry.cone().sourceToDetectorMm = std::numeric_limits<double>::quiet_NaN();
    geometry.detector.rows = 0;
    geometry.cone().views = -1;
    fitVolume(request);
    EXPECT_EQ(request.job.volume, before);
    EXPECT_TRUE(hasError(problemsOf(request)));
}

TEST(Request, AMovedScanMeansTheSameImages) {
    const test::TemporaryFolder folder;
    ScanFile scan = readScanFile(test::makeScan(folder / "scan"));
    const auto images = matchFiles(scan.folder, scan.projections.files);
    moveScan(scan, folder / "scan" / "second.json");
    EXPECT_EQ(scan.projections.files, "proj/*.tif");
    moveScan(scan, folder / "elsewhere" / "scan.json");
    EXPECT_EQ(scan.folder, folder / "elsewhere");
    EXPECT_EQ(matchFiles(scan.folder, scan.projections.files), images);
    EXPECT_EQ(matchFiles(scan.folder, scan.projections.dark).size(), 2U);
    EXPECT_TRUE(scan.projections.badPixels.empty());
    moveScan(scan, folder / "scan" / "third.json");
    EXPECT_EQ(scan.projections.files, "proj/*.tif") << "relative again";
    moveScan(scan, folder / "all.json");
    EXPECT_EQ(scan.projections.files, "scan/proj/*.tif");
}

}  // namespace
}  // namespace gantry
