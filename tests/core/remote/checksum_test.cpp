#include "core/remote/checksum.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "core/base/run_process.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(PosixChecksum, IsWhatCksumPrints) {
    const test::TemporaryFolder folder;
    std::mt19937 random(7);
    for (const std::size_t bytes : {0U, 1U, 7U, 8U, 9U, 255U, 65'536U, 9'000'001U}) {
        const std::filesystem::path path = folder.path() / "f";
        std::string text(bytes, '\0');
        for (char& c : text)
            c = static_cast<char>(random());
        std::ofstream(path, std::ios::binary) << text;
        const ProcessEnd end = runProcess({.words = {"cksum", path.string()}});
        EXPECT_EQ(std::stoul(end.output), checksumOf(path, {})) << bytes;
    }
}

}  // namespace
}  // namespace gantry
