#include "core/job/provenance.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

TEST(Provenance, ChecksumsAreThoseOfWholeFilesWhateverReadsThem) {
    const test::TemporaryFolder folder;
    // Larger than what is read in one piece; all but its ends takes no room on disk.
    constexpr Index kLargeBytes = 150'000'000;
    std::ofstream(folder / "large") << "head";
    fs::resize_file(folder / "large", kLargeBytes - 4);
    std::ofstream(folder / "large", std::ios::app) << "tail";
    std::ofstream(folder / "small") << "123456789";
    std::ofstream(folder / "empty") << "";
    const std::vector<fs::path> files = {folder / "large", folder / "small", folder / "empty"};
    for (const int threads : {1, 13}) {
        const std::vector<FileChecksum> sums = checksumFiles(files, {}, threads);
        ASSERT_EQ(sums.size(), 3U);
        EXPECT_EQ(sums[0].bytes, kLargeBytes);
        // Python's binascii.crc32() gives the same; that of "123456789" is CRC-32's own check
        // value.
        EXPECT_EQ(sums[0].crc32, 0x455e7962U);
        EXPECT_EQ(sums[1].crc32, 0xcbf43926U);
        EXPECT_EQ(sums[2].crc32, 0U);
        EXPECT_EQ(sums[2].path, files[2]);
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)checksumFiles(files, stop.get_token(), 4), Cancelled);
}

}  // namespace
}  // namespace gantry
