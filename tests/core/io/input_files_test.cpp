#include "core/io/input_files.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/io/volume/output_names.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

void touch(const fs::path& path) {
    writeFileAtomically(path, "bytes");
}

TEST(InputFiles, AllThatAScanReadsIsKnown) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "proj");
    for (const char* name : {"proj/v_1.raw", "proj/v_2.raw", "proj/v_1.raw.json", "proj/v_2.json",
                             "dark.tif", "flat.tif", "mask.tif", "angles.txt"})
        touch(folder / name);
    writeFileAtomically(folder / "scan.json", R"({"trajectory": {"anglesDeg": "angles.txt"}})");
    ScanFile scan;
    scan.folder = folder.path();
    scan.path = folder / "scan.json";
    scan.projections.files = "proj/v_*.raw";
    scan.projections.dark = "dark.tif";
    scan.projections.flat = "flat.tif";
    scan.projections.badPixels = "mask.tif";
    ReadFiles read;
    addScanFiles(read, scan);
    for (const char* name : {"proj/v_1.raw", "proj/v_2.raw", "proj/v_1.raw.json", "proj/v_2.json",
                             "dark.tif", "flat.tif", "mask.tif", "angles.txt", "scan.json", "proj"})
        EXPECT_ERROR(read.requireApart(folder / name), InputError, "would be lost");
    // A header that would have its voxels where a view is.
    EXPECT_ERROR(read.requireApart(outputNames(folder / "proj/v_1.mhd")), InputError,
                 "a projection of the scan");
    // A new file of a name that the pattern asks for would be a view the next time.
    EXPECT_ERROR(read.requireApart(outputNames(folder / "proj/v_3.mhd")), InputError,
                 "it would be read as a projection of the scan");
    EXPECT_ERROR(read.requireApart(folder / "proj/v_new.raw"), InputError, "would be read as");
    read.requireApart(outputNames(folder / "proj/w_3.mhd"));
    read.requireApart(outputNames(folder / "v.mha"));
}

TEST(InputFiles, AVolumesCompanionsAreRead) {
    const test::TemporaryFolder folder;
    touch(folder / "a.raw");
    writeFileAtomically(folder / "a.mhd",
                        "ObjectType = Image\nNDims = 3\nDimSize = 1 1 5\nElementType = MET_UCHAR\n"
                        "ElementDataFile = a.raw\n");
    fs::create_directory(folder / "slices");
    touch(folder / "slices/slice_0000.tif");
    ReadFiles read;
    addVolumeFiles(read, folder / "a.mhd");
    addVolumeFiles(read, folder / "slices/");
    for (const char* name : {"a.mhd", "a.raw", "slices", "slices/slice_0000.tif"})
        EXPECT_ERROR(read.requireApart(folder / name), InputError, "would be lost");
    read.requireApart(folder / "slices/profile.csv");
}

// Data files have the names that the headers give, whatever is usual.
TEST(InputFiles, TheDataThatAHeaderNamesAreRead) {
    const test::TemporaryFolder folder;
    for (const char* name : {"m.bin", "n.raw", "o.dat", "p.vol", "q.img", "r.raw"})
        touch(folder / name);
    const std::string metaImage =
        "ObjectType = Image\nNDims = 3\nDimSize = 1 1 5\nElementType = MET_UCHAR\n"
        "ElementDataFile = ";
    writeFileAtomically(folder / "m.mha", metaImage + "m.bin\n");
    // What is wrong with the header is another matter.
    writeFileAtomically(folder / "r.mhd", "DimSize = wrong\nElementDataFile = r.raw\n");
    writeFileAtomically(folder / "n.nhdr", "NRRD0004\ndata file: n.raw\nencoding: raw\n\n");
    writeFileAtomically(folder / "o.nrrd", "NRRD0004\ndatafile: o.dat\nencoding: raw\n\n");
    writeFileAtomically(folder / "p.vgi", "{volume1}\n[file1]\nName = C:\\scans\\p.vol\n");
    writeFileAtomically(folder / "q.vgi", "{volume1}\n[file1]\nName = q.img\n");
    ReadFiles volumes;
    for (const char* name : {"m.mha", "r.mhd", "n.nhdr", "o.nrrd", "p.vgi", "q.vgi"})
        addVolumeFiles(volumes, folder / name);
    for (const char* name : {"m.bin", "n.raw", "o.dat", "p.vol", "q.img", "r.raw"})
        EXPECT_ERROR(volumes.requireApart(folder / name), InputError, "a part of a volume");
    // A stack of projections, too.
    ScanFile scan;
    scan.folder = folder.path();
    scan.path = folder / "scan.json";
    scan.projections.files = "m.mha";
    ReadFiles read;
    addScanFiles(read, scan);
    EXPECT_ERROR(read.requireApart(folder / "m.bin"), InputError, "a part of a projection");
}

TEST(InputFiles, OutputsAreNamedWithAllThatIsReplaced) {
    const test::TemporaryFolder folder;
    const auto has = [&](const char* output, const char* name) {
        const std::vector<fs::path> names = outputNames(folder / output);
        return std::find(names.begin(), names.end(), folder / name) != names.end();
    };
    EXPECT_TRUE(has("v.mhd", "v.raw") && has("v.mhd", "v.mhd") && has("v.mhd", "v.raw.part"));
    EXPECT_TRUE(has("v.raw", "v.raw.json") && has("v.raw", "v.raw.part"));
    EXPECT_TRUE(has("v.mha", "v.mha.part") && has("v.mha", "v.mha.spool.part"));
    EXPECT_TRUE(has("slices/", "slices") && has("v.ome.zarr", "v.ome.zarr.part"));
    fs::create_directory(folder / "far");
    fs::create_symlink("far/w.mha", folder / "v.mha");
    EXPECT_TRUE(has("v.mha", "far/w.mha"));
}

}  // namespace
}  // namespace gantry
