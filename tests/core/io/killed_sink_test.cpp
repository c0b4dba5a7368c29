#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <optional>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::filesBelow;
using test::namesIn;
using test::randomVoxels;
using test::writeSlices;

// Calls by which a process changes what another finds on the disk.
bool changesTheDisk(std::uint64_t call) {
    constexpr std::array kCalls = {SYS_rename, SYS_renameat,  SYS_renameat2,
                                   SYS_unlink, SYS_unlinkat,  SYS_rmdir,
                                   SYS_mkdir,  SYS_ftruncate, SYS_pwrite64};
    return std::find(kCalls.begin(), kCalls.end(), static_cast<long>(call)) != kCalls.end();
}

enum class End { killed, complete, untraceable };

// Runs the action in a process of its own, which is killed just before it changes the disk for the
// `change`th time.
End killedBefore(int change, const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
        ::raise(SIGSTOP);
        try {
            action();
        } catch (...) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    int status = 0;
    int changes = 0;
    while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        // Or stops at calls cannot be told from others.
        ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
        __ptrace_syscall_info call{};
        ::ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof(call),
                 &call);
        if (call.op == PTRACE_SYSCALL_INFO_ENTRY && changesTheDisk(call.entry.nr) &&
            ++changes == change)
            ::kill(child, SIGKILL);
        else
            ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return End::killed;
    if (WEXITSTATUS(status) == 77) return End::untraceable;
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return End::complete;
}

struct Case {
    const char* fileName;
    bool ownRange;                     // spooled, then converted
    std::vector<std::string> results;  // names in the folder when all is done
};

void PrintTo(const Case& which, std::ostream* out) {
    *out << which.fileName << (which.ownRange ? " own range" : "");
}

class KilledSink : public testing::TestWithParam<Case> {
  protected:
    // The older volume's scale is another: its header over the newer one's data shows.
    [[nodiscard]] OutputFormat format(const fs::path& folder, double largest) const {
        OutputFormat result{folder / GetParam().fileName, PixelType::uint16, {}};
        if (!GetParam().ownRange) result.range = {{0, largest}};
        return result;
    }
    [[nodiscard]] OutputFormat format(const fs::path& folder) const { return format(folder, 4); }

    void SetUp() override {
        const test::TemporaryFolder folder;
        writeNewer(*openSink(format(folder.path()), m_grid, SinkStart::fresh));
        EXPECT_TRUE(same(readVolume(format(folder.path()).path), m_newer));
        m_whole = filesBelow(folder.path());
    }
    void writeOlder(const fs::path& folder) const {
        const auto sink = openSink(format(folder, 1), m_grid, SinkStart::fresh);
        writeSlices(*sink, m_older, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
    }
    void writeNewer(VolumeSink& sink) const {
        writeSlices(sink, m_newer, m_grid, {0, m_grid.voxels[2]});
        sink.finish();
    }
    // Within half a step of the wider scale, 4/65535, and the rounding of values below 4 to float.
    [[nodiscard]] static bool same(const Volume& found, const std::vector<float>& voxels) {
        return std::equal(
            voxels.begin(), voxels.end(), found.voxels.span().begin(), found.voxels.span().end(),
            [](float a, float b) { return std::abs(a - b) <= 2.0F / 65535 + 2.4e-7F; });
    }
    void expectNewer(const fs::path& folder) const {
        EXPECT_TRUE(filesBelow(folder) == m_whole) << "not as written without interruption";
        EXPECT_EQ(namesIn(folder), GetParam().results);
    }
    // What has the final name, if anything has, is one whole volume. True: the newer one.
    [[nodiscard]] bool newerStands(const fs::path& folder) const {
        std::optional<Volume> found;
        try {
            found = readVolume(format(folder).path);
        } catch (const InputError&) {
            return false;
        }
        EXPECT_TRUE(same(*found, m_older) || same(*found, m_newer)) << "a mixture of two volumes";
        return same(*found, m_newer);
    }

    void expectResumes(const fs::path& folder, bool newerStands) const {
        std::unique_ptr<VolumeSink> resumed;
        try {
            resumed = openSink(format(folder), m_grid, SinkStart::resumed);
        } catch (const InputError&) {
            // Killed before there was anything to resume, or when all was done.
        }
        if (resumed)
            writeNewer(*resumed);
        else if (!newerStands)
            writeNewer(*openSink(format(folder), m_grid, SinkStart::fresh));
        expectNewer(folder);
    }

    VolumeGrid m_grid{{5, 3, 2}, {0.3, 0.45, 1.1}, {1, 2, 3}};
    std::vector<float> m_older = randomVoxels(m_grid, 1);
    std::vector<float> m_newer = [this] {
        std::vector<float> voxels = randomVoxels(m_grid, 2);
        for (float& voxel : voxels)
            voxel += 3;
        return voxels;
    }();
    std::map<std::string, std::string> m_whole;  // the newer one's files
};

INSTANTIATE_TEST_SUITE_P(
    AllFormats, KilledSink,
    testing::Values(Case{"v.mha", false, {"v.mha"}}, Case{"v.mhd", false, {"v.mhd", "v.raw"}},
                    Case{"v.h5", false, {"v.h5"}}, Case{"v.h5", true, {"v.h5"}},
                    Case{"v.raw", false, {"v.raw", "v.raw.json"}}, Case{"v.tif", false, {"v.tif"}},
                    Case{"slices", false, {"slices"}}, Case{"v.ome.zarr", false, {"v.ome.zarr"}},
                    Case{"v.vgi", false, {"v.vgi", "v.vol"}}, Case{"v.nii", false, {"v.nii"}},
                    Case{"v.mhd", true, {"v.mhd", "v.raw"}}, Case{"slices", true, {"slices"}}));

TEST_P(KilledSink, atAnyInstantIsResumedOrWrittenAnew) {
    const test::TemporaryFolder start;
    writeOlder(start.path());
    End end = End::killed;
    for (int change = 1; end != End::complete; ++change) {
        SCOPED_TRACE(change);
        const test::TemporaryFolder folder;
        fs::copy(start.path(), folder.path(), fs::copy_options::recursive);
        end = killedBefore(change, [&] {
            const auto sink = openSink(format(folder.path()), m_grid, SinkStart::fresh);
            writeSlices(*sink, m_newer, m_grid, {0, m_grid.voxels[2]});
            sink->finish();
        });
        if (end == End::untraceable) GTEST_SKIP() << "processes cannot be traced here";
        const bool newer = newerStands(folder.path());
        const test::TemporaryFolder second;
        fs::copy(folder.path(), second.path(), fs::copy_options::recursive);
        expectResumes(folder.path(), newer);

        writeNewer(*openSink(format(second.path()), m_grid, SinkStart::fresh));
        expectNewer(second.path());
        if (end == End::complete) {
            EXPECT_GT(change, 5);
        }
    }
}

TEST_P(KilledSink, isWrittenByOneProcessAtATime) {
    const test::TemporaryFolder folder;
    const auto first = openSink(format(folder.path()), m_grid, SinkStart::fresh);
    writeSlices(*first, m_newer, m_grid, {0, 1});
    for (const SinkStart start : {SinkStart::fresh, SinkStart::resumed})
        EXPECT_ERROR((void)openSink(format(folder.path()), m_grid, start), InputError,
                     "Another job is writing ");
    writeSlices(*first, m_newer, m_grid, {1, m_grid.voxels[2]});
    first->finish();
    expectNewer(folder.path());
    // The claim ends with the volume.
    writeNewer(*openSink(format(folder.path()), m_grid, SinkStart::fresh));
    expectNewer(folder.path());
}

TEST(KilledFolder, leftUnderTheOlderNameDoesNotBlockALaterOne) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::oddGrid();
    const auto write = [&](const char* name) {
        const auto sink = openSink({folder / name, PixelType::float32, {}}, grid, SinkStart::fresh);
        writeSlices(*sink, randomVoxels(grid, 9), grid, {0, grid.voxels[2]});
        sink->finish();
    };
    for (const char* name : {"slices/", "slices.part.old/", "slices.old/"})
        write(name);
    write("slices/");
    // Only what is ours alone is removed.
    EXPECT_EQ(namesIn(folder.path()), (std::vector<std::string>{"slices", "slices.old"}));
    EXPECT_EQ(namesIn(folder / "slices.old").size(), 11U);
}

}  // namespace
}  // namespace gantry
