#include "core/base/file_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <span>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

Index bytesTaken(const fs::path& path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 ? Index{512} * file.st_blocks : 0;
}

TEST(FileMemory, EveryByteKeepsWhatIsWrittenWhoeverTakesItsMemory) {
    const fs::path path = fmt::format("/dev/shm/gantry-file-memory-{}", ::getpid());
    if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no disk in memory here";
    constexpr Index kChunk = 5'000'011;  // no whole pages, and a few in each piece
    constexpr Index kChunks = 17;
    std::string bytes(static_cast<std::size_t>(kChunk * kChunks), '\0');
    std::mt19937 random(3);
    for (char& byte : bytes)
        byte = static_cast<char>(random());
    File file(path, File::Mode::create);
    const auto end = static_cast<Index>(bytes.size());
    file.resize(end);
    {
        // The last part first, and a byte that is nobody's.
        const IndexRange parts[] = {{end / 3 + 1, end}, {0, end / 3}};
        FileMemory memory(file, parts);
        const auto write = [&](Index chunk) {
            const File::Room room = memory.take(chunk * kChunk, kChunk);
            const bool isMine = chunk * kChunk > end / 3 || (chunk + 1) * kChunk <= end / 3;
            EXPECT_EQ(room, isMine ? File::Room::taken : File::Room::unknown) << chunk;
            file.writeAt(chunk * kChunk,
                         std::as_bytes(std::span(bytes)).subspan(chunk * kChunk, kChunk), 2, room);
        };
        // From the end on, so that writers come to most pieces first.
        const std::jthread odd([&] {
            for (Index chunk = kChunks - 2; chunk > 0; chunk -= 2)
                write(chunk);
        });
        for (Index chunk = kChunks - 1; chunk >= 0; chunk -= 2)
            write(chunk);
    }
    EXPECT_TRUE(readTextFile(path, end) == bytes);
    EXPECT_GE(bytesTaken(path), end);
    fs::remove(path);
}

TEST(FileMemory, DisksHaveNone) {
    const test::TemporaryFolder folder;
    File file(folder / "file", File::Mode::create);
    if (file.takeMemory(0, 1)) GTEST_SKIP() << "temporary files are in memory here";
    file.resize(1'000'000);
    const IndexRange all[] = {{0, 1'000'000}};
    FileMemory memory(file, all);
    EXPECT_EQ(memory.take(10, 500'000), File::Room::unknown);
    EXPECT_EQ(memory.take(0, 0), File::Room::taken) << "nothing was wanted";
}

}  // namespace
}  // namespace gantry
