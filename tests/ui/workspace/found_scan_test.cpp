#include "ui/workspace/scan/found_scan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_scan.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

fs::path foundFile(const fs::path& path) {
    return findScan(path).request.job.scan.path;
}

TEST(FoundScan, IsThatOfItsFileFolderOrImage) {
    const test::TemporaryFolder folder;
    const fs::path scan = test::makeScan(folder / "Nuß 'a' \"b\"");
    const fs::path home = scan.parent_path();
    EXPECT_EQ(foundFile(scan), scan);
    EXPECT_EQ(foundFile(home), scan);
    EXPECT_EQ(foundFile(home / "proj" / "proj_0003.tif"), scan);
    EXPECT_TRUE(findScan(home).guesses.empty());
    EXPECT_EQ(findScan(home).images, scan);
}

TEST(FoundScan, IsGuessedAroundImages) {
    const test::TemporaryFolder folder;
    const fs::path scan = test::makeScan(folder / "scan");
    fs::remove(scan);
    const fs::path home = scan.parent_path();
    for (const fs::path& path : {home, home / "proj", home / "proj" / "proj_0003.tif"}) {
        const FoundScan found = findScan(path);
        EXPECT_FALSE(found.guesses.empty()) << path;
        EXPECT_FALSE(found.images.empty()) << path;
        EXPECT_EQ(found.request.job.scan.geometry.views(), 18) << path;
        EXPECT_EQ(found.request.job.scan.geometry.detector.columns, 24) << path;
    }
}

TEST(FoundScan, AScannersFolderOpensByItsOwnDescription) {
    const test::TemporaryFolder folder;
    writeFileAtomically(
        folder / "part.xtekct",
        "[XTekCT]\nName=part\nSrcToObject=40\nSrcToDetector=600\n"
        "DetectorPixelsX=20\nDetectorPixelSizeX=0.4\nDetectorPixelsY=12\n"
        "DetectorPixelSizeY=0.4\nProjections=90\nAngularStep=4\nWhiteLevel=60000\n");
    for (const fs::path& path : {folder.path(), folder / "part.xtekct"}) {
        EXPECT_EQ(recognise(path).kind, Recognised::Kind::scan);
        const FoundScan found = findScan(path);
        EXPECT_EQ(found.images.filename(), "part.xtekct");
        EXPECT_EQ(found.request.job.scan.projections.files, "part????.tif");
        EXPECT_FALSE(found.guesses.empty());
    }
    writeFileAtomically(folder / "part_01.xtekct", "[XTekCT]\nName=part\n");
    EXPECT_ERROR((void)findScan(folder.path()), InputError, "two descriptions");
}

TEST(FoundScan, SaysWhatIsNone) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "empty");
    writeFileAtomically(folder / "scan.json", "{\"gantryScan\": 1, ");
    writeFileAtomically(folder / "letter.tif", "Dear reader");
    EXPECT_ERROR((void)findScan(folder / "missing"), InputError, "there is no such file");
    EXPECT_ERROR((void)findScan(folder / "empty"), InputError, "empty");
    EXPECT_ERROR((void)findScan(folder.path()), InputError, "scan.json");
    EXPECT_ERROR((void)findScan(folder / "letter.tif"), InputError, "letter.tif");
}

}  // namespace
}  // namespace gantry
