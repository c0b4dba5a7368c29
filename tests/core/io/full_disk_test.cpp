#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "core/base/error.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::filesBelow;
using test::namesIn;
using test::oddGrid;
using test::randomVoxels;
using test::writeSlices;

enum Outcome { kNothingThrown = 0, kResourceError = 1, kOtherError = 2 };

// Files of this process grow no further from now on: writing fails as on a full disk.
void limitFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

// Runs the action in a process of its own, whose limits end with it; the message goes to `report`.
Outcome outcomeOf(const fs::path& report, const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        Outcome outcome = kNothingThrown;
        std::string message;
        try {
            action();
        } catch (const ResourceError& error) {
            outcome = kResourceError;
            message = error.what();
        } catch (const std::exception& error) {
            outcome = kOtherError;
            message = error.what();
        }
        test::writeBytes(report, message);
        ::_exit(outcome);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : kOtherError;
}

struct DiskCase {
    const char* fileName;
    PixelType type;
    bool ownRange;
    rlim_t limit;  // between the bytes of one slice and those of the volume
};

void PrintTo(const DiskCase& which, std::ostream* out) {
    *out << which.fileName << " " << name(which.type) << (which.ownRange ? " own range" : "");
}

class FullDisk : public testing::TestWithParam<DiskCase> {
  protected:
    [[nodiscard]] OutputFormat format(const fs::path& folder) const {
        OutputFormat result{folder / GetParam().fileName, GetParam().type, {}};
        if (GetParam().type != PixelType::float32 && !GetParam().ownRange) result.range = {{0, 1}};
        return result;
    }
    [[nodiscard]] OutputFormat format() const { return format(m_folder.path()); }
    void write(const fs::path& folder, SinkStart start) const {
        const auto sink = openSink(format(folder), m_grid, start);
        writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
    }
    void expectNoFinalName() const {
        for (const std::string& name : namesIn(m_folder.path()))
            EXPECT_TRUE(name.ends_with(".part")) << name;
    }
    test::TemporaryFolder m_folder;
    test::TemporaryFolder m_reports;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = randomVoxels(m_grid, 41);
};

// A slice is 13 x 7 voxels, the volume has 11 of them: 4004 bytes of float32. A TIFF slice takes
// more than 300 bytes in any type; of Zarr, slices wait in tiles of 64 x 64 voxels. HDF5 has 13
// kilobytes before the voxels.
INSTANTIATE_TEST_SUITE_P(AllFormats, FullDisk,
                         testing::Values(DiskCase{"v.mha", PixelType::float32, false, 3000},
                                         DiskCase{"v.mhd", PixelType::float32, false, 3000},
                                         DiskCase{"v.raw", PixelType::uint16, false, 1500},
                                         DiskCase{"v.tif", PixelType::uint8, false, 900},
                                         DiskCase{"v.h5", PixelType::float32, false, 15000},
                                         DiskCase{"slices", PixelType::float32, false, 300},
                                         DiskCase{"v.zarr", PixelType::float32, false, 3000},
                                         DiskCase{"v.mha", PixelType::uint8, true, 2000},
                                         DiskCase{"slices", PixelType::uint16, true, 2000}));

TEST_P(FullDisk, whileWritingIsAResourceErrorThatNamesTheFileAndCanBeResumed) {
    const Outcome outcome = outcomeOf(m_reports / "report", [&] {
        const auto sink = openSink(format(), m_grid, SinkStart::fresh);
        limitFiles(GetParam().limit);
        for (Index z = 0; z < m_grid.voxels[2]; ++z)
            writeSlices(*sink, m_voxels, m_grid, {z, z + 1});
        sink->finish();
    });
    EXPECT_EQ(outcome, kResourceError);
    const std::string message = test::fileBytes(m_reports / "report");
    EXPECT_NE(message.find((m_folder / GetParam().fileName).replace_extension().string()),
              std::string::npos)
        << message;
    expectNoFinalName();

    write(m_folder.path(), SinkStart::resumed);
    const test::TemporaryFolder whole;
    write(whole.path(), SinkStart::fresh);
    EXPECT_TRUE(filesBelow(m_folder.path()) == filesBelow(whole.path()));
}

TEST_P(FullDisk, whileOpeningLeavesNothing) {
    if (std::string(GetParam().fileName) == "slices" && !GetParam().ownRange)
        GTEST_SKIP() << "a folder takes no room before its first slice";
    const Outcome outcome = outcomeOf(m_reports / "report", [&] {
        limitFiles(100);
        (void)openSink(format(), m_grid, SinkStart::fresh);
    });
    EXPECT_EQ(outcome, kResourceError);
    EXPECT_TRUE(namesIn(m_folder.path()).empty());
}

TEST(FullDiskWhileConverting, keepsTheSpoolForAResume) {
    const test::TemporaryFolder folder;
    const test::TemporaryFolder reports;
    const VolumeGrid grid = oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 43);
    for (const char* fileName : {"v.mha", "v.h5", "slices"}) {
        const OutputFormat format{folder / fileName, PixelType::uint16, {}};
        const Outcome outcome = outcomeOf(reports / "report", [&] {
            const auto sink = openSink(format, grid, SinkStart::fresh);
            writeSlices(*sink, voxels, grid, {0, grid.voxels[2]});
            limitFiles(300);
            sink->finish();
        });
        EXPECT_EQ(outcome, kResourceError);
        EXPECT_EQ(namesIn(folder.path()),
                  std::vector<std::string>{std::string(fileName) + ".spool.part"});
        openSink(format, grid, SinkStart::resumed)->finish();
        EXPECT_EQ(readVolume(format.path).grid.voxels, grid.voxels);
        fs::remove_all(format.path);
    }
}

}  // namespace
}  // namespace gantry
