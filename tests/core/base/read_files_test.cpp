#include "core/base/read_files.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

TEST(ReadFiles, AFileIsItselfUnderAnyName) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "proj");
    const fs::path view = folder / "proj/view_1.tif";
    writeFileAtomically(view, "pixels");
    fs::create_symlink(view, folder / "link.tif");
    fs::create_hard_link(view, folder / "hard.tif");
    fs::create_directory_symlink(folder / "proj", folder / "other");
    ReadFiles read;
    read.add(view, "a projection of the scan");
    read.add(folder / "missing.tif", "nothing");
    for (const char* name :
         {"proj/view_1.tif", "proj/../proj/view_1.tif", "link.tif", "hard.tif", "other/view_1.tif"})
        EXPECT_ERROR(read.requireApart(folder / name), InputError, "a projection of the scan");
    EXPECT_ERROR(read.requireApart(folder / "proj"), InputError, "holds view_1.tif");
    EXPECT_ERROR(read.requireApart(folder / "proj/"), InputError, "holds view_1.tif");
    read.requireApart({folder / "proj/view_2.tif", folder / "volume.mha", folder / "missing.tif"});
}

TEST(ReadFiles, AllInAFolderThatIsReadIsRead) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "v.zarr/0");
    writeFileAtomically(folder / "v.zarr/0/chunk", "voxels");
    ReadFiles read;
    read.addFolder(folder / "v.zarr", "a volume");
    for (const char* name : {"v.zarr", "v.zarr/0", "v.zarr/0/chunk"})
        EXPECT_ERROR(read.requireApart(folder / name), InputError, "would be lost");
    read.requireApart({folder / "v.zarr/new", folder / "w.zarr"});
}

TEST(ReadFiles, NamesThatAreTooLongAreFoundBefore) {
    const test::TemporaryFolder folder;
    const ReadFiles none;
    none.requireApart(folder / std::string(200, 'n'));
    // The temporary name beside it is longer.
    for (const std::size_t length : {std::size_t{250}, std::size_t{300}})
        EXPECT_ERROR(none.requireApart(folder / std::string(length, 'n')), InputError,
                     "longer than the disk allows");
}

}  // namespace
}  // namespace gantry
