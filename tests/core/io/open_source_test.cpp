#include "core/io/open_source.h"
#include "core/io/series/match_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;

TEST(OpenSource, TellsFormatsApartByContent) {
    const TemporaryFolder folder;
    const ForeignTiff spec;
    const Bytes pixels = randomBytes(2 * 37 * 23, 1);
    writeTiff(folder / "tiff.raw", spec, pixels);
    // A header of a raw file beside it does not make a TIFF file raw.
    writeText(folder / "tiff.raw.json", "{}");
    EXPECT_TRUE(openSource({folder / "tiff.raw"}, {})->info().format.starts_with("TIFF"));
    writeBytes(folder / "raw.tif", pixels);
    writeText(folder / "raw.tif.json",
              R"({"gantryRaw": 1, "columns": 37, "rows": 23, "views": 1, "type": "uint16"})");
    EXPECT_TRUE(openSource({folder / "raw.tif"}, {})->info().format.starts_with("raw"));
    writeText(folder / "meta.tif",
              "NDims = 2\nDimSize = 2 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nab");
    EXPECT_TRUE(openSource({folder / "meta.tif"}, {})->info().format.starts_with("MetaImage"));
}

TEST(OpenSource, SaysWhatAFileIsThatItCannotRead) {
    const TemporaryFolder folder;
    const auto expectError = [&](const std::string& content, const char* message) {
        writeText(folder / "x.tif", content);
        EXPECT_ERROR((void)openSource({folder / "x.tif"}, {}), InputError, message);
    };
    expectError("", "x.tif is empty; it must be an image.");
    expectError("\x89PNG\r\n",
                "x.tif: it is a PNG image. Gantry reads TIFF, MetaImage, HDF5 (NXtomo, Data "
                "Exchange), ZEISS Xradia, Varian .xim and .hnd, Elekta .his and raw files with a "
                "JSON header, and scans by the file that their scanner's program wrote.");
    expectError("\xff\xd8\xff\xe0", "x.tif: it is a JPEG image");
    expectError(std::string(128, '\0') + "DICM and more", "x.tif: it is a DICOM file");
    expectError(
        "hello",
        "x.tif: unknown format. Gantry reads TIFF, MetaImage, HDF5 (NXtomo, Data Exchange), "
        "ZEISS Xradia, Varian .xim and .hnd, Elekta .his and raw files with a JSON "
        "header, and scans");
    expectError("II", "x.tif: unknown format.");
    expectError("I do not write NDims here", "x.tif: unknown format.");
}

TEST(OpenSource, RefusesMissingFilesAndFolders) {
    const TemporaryFolder folder;
    EXPECT_ERROR((void)openSource({}, {}), InputError, "at least one image file");
    EXPECT_ERROR((void)openSource({folder / "gone.tif"}, {}), InputError,
                 "gone.tif cannot be opened");
    EXPECT_ERROR((void)openSource({folder.path()}, {}), InputError, "is a folder");
    writeTiff(folder / "a.tif", {}, randomBytes(2 * 37 * 23, 1));
    EXPECT_ERROR((void)openSource({folder / "a.tif", folder.path()}, {}), InputError,
                 "is a folder");
    EXPECT_ERROR((void)openSource({folder / "a.tif", folder / "b.tif"}, {}), InputError,
                 "b.tif cannot be opened");
}

TEST(OpenSource, FilesOfDifferentFormatsAreAnError) {
    const TemporaryFolder folder;
    writeTiff(folder / "a.tif", {}, randomBytes(2 * 37 * 23, 1));
    writeText(folder / "b.tif", "\x89PNG\r\n");
    EXPECT_ERROR((void)openSource({folder / "a.tif", folder / "b.tif"}, {}), InputError,
                 "b.tif is no TIFF file");
}

TEST(OpenSource, RefusesRequestsOutsideTheScan) {
    const TemporaryFolder folder;
    writeTiff(folder / "a.tif", {}, randomBytes(2 * 37 * 23, 1));
    const auto source = openSource({folder / "a.tif"}, {});
    Bytes row(2 * 37);
    EXPECT_THROW(source->readRows(1, {0, 1}, row), InternalError);
    EXPECT_THROW(source->readRows(-1, {0, 1}, row), InternalError);
    EXPECT_THROW(source->readRows(0, {22, 24}, row), InternalError);
    EXPECT_THROW(source->readRows(0, {-1, 0}, row), InternalError);
    EXPECT_THROW(source->readRows(0, {0, 2}, row), InternalError);
}

TEST(OpenSource, TwoThousandFilesAreAllChecked) {
    const TemporaryFolder folder;
    const ForeignTiff spec;
    writeTiff(folder / "v0.tif", spec, randomBytes(2 * 37 * 23, 1));
    for (int i = 1; i < 2000; ++i)
        std::filesystem::copy_file(folder / "v0.tif", folder / (fmt::format("v{}.tif", i)));
    const auto files = matchFiles(folder.path(), "v*.tif");
    EXPECT_EQ(openSource(files, {})->info().views, 2000);
    // One short of its last byte, far behind.
    std::filesystem::resize_file(folder / "v1999.tif",
                                 std::filesystem::file_size(folder / "v1999.tif") - 1);
    EXPECT_ERROR((void)openSource(files, {}), InputError, "v1999.tif");
}

}  // namespace
}  // namespace gantry
