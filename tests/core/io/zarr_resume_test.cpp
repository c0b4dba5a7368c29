#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <functional>

#include "core/io/volume/open_sink.h"
#include "tests/core/io/random_volume.h"
#include "tests/core/io/zarr_files.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::filesBelow;
using test::randomVoxels;
using test::writeSlices;

// A run in a process of its own that ends without a warning.
void runAndKill(const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            action();
        } catch (...) {
            ::_exit(1);
        }
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
}

class ZarrResume : public testing::Test {
  protected:
    ZarrResume() {
        fs::create_directory(m_folder / "whole");
        const auto sink = openSink({m_folder / "whole/v.ome.zarr", PixelType::float32, {}}, m_grid,
                                   SinkStart::fresh);
        writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
        sink->finish();
        m_whole = filesBelow(m_folder / "whole/v.ome.zarr");
    }
    [[nodiscard]] std::unique_ptr<VolumeSink> open(bool resume) const {
        return openSink(m_format, m_grid, resume ? SinkStart::resumed : SinkStart::fresh);
    }
    // What the killed run had not flushed, and some of what it had, comes again.
    void resumeFrom(IndexRanges flushed) {
        const auto sink = open(true);
        for (Index z = 0; z < m_grid.voxels[2]; z += 10) {
            const IndexRange slab{z, std::min(z + 10, m_grid.voxels[2])};
            bool kept = false;
            for (const IndexRange& part : flushed.parts())
                kept = kept || (part.begin <= slab.begin && part.end >= slab.end);
            if (!kept) writeSlices(*sink, m_voxels, m_grid, slab);
        }
        sink->finish(2);
        EXPECT_TRUE(filesBelow(m_format.path) == m_whole);
        EXPECT_EQ(test::namesIn(m_folder.path()),
                  (std::vector<std::string>{"v.ome.zarr", "whole"}));
    }
    test::TemporaryFolder m_folder;
    // Three layers of chunks, of three levels.
    VolumeGrid m_grid{{270, 33, 150}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
    std::vector<float> m_voxels = randomVoxels(m_grid, 21);
    std::vector<float> m_junk = randomVoxels(m_grid, 22);
    OutputFormat m_format{m_folder / "v.ome.zarr", PixelType::float32, {}};
    std::map<std::string, std::string> m_whole;
};

TEST_F(ZarrResume, WithSlicesThatWaitForTheirLayer) {
    runAndKill([&] {
        const auto sink = open(false);
        writeSlices(*sink, m_voxels, m_grid, {0, 40});
        sink->flush();
        // Unfinished slabs hold anything.
        writeSlices(*sink, m_junk, m_grid, {40, 57});
        writeSlices(*sink, m_junk, m_grid, {110, 150});
    });
    resumeFrom({0, 40});
}

TEST_F(ZarrResume, WithALayerSealedSinceTheLastFlush) {
    runAndKill([&] {
        const auto sink = open(false);
        writeSlices(*sink, m_voxels, m_grid, {0, 40});
        sink->flush();
        writeSlices(*sink, m_voxels, m_grid, {40, 70});
        // The first layer and its share of the second level are written; nothing says so yet.
        EXPECT_TRUE(fs::exists(m_folder / "v.ome.zarr.part/0/0/0/0"));
        EXPECT_TRUE(fs::exists(m_folder / "v.ome.zarr.part/.scratch/0.0"));
    });
    // A disk that lost what was not flushed leaves such files.
    for (const auto& entry : fs::recursive_directory_iterator(m_folder / "v.ome.zarr.part/0/0"))
        if (entry.is_regular_file()) fs::resize_file(entry.path(), 7);
    resumeFrom({0, 40});
}

TEST_F(ZarrResume, FromMirrorPairsWithLayersOfAllLevelsUnderWay) {
    runAndKill([&] {
        const auto sink = open(false);
        for (Index z = 0; z < 70; z += 10) {
            writeSlices(*sink, m_voxels, m_grid, {140 - z, 150 - z});
            writeSlices(*sink, m_voxels, m_grid, {z, z + 10});
            sink->flush();
        }
        EXPECT_FALSE(fs::exists(m_folder / "v.ome.zarr.part/.scratch/0.0"));
        EXPECT_TRUE(fs::exists(m_folder / "v.ome.zarr.part/.scratch/1.0"));
    });
    resumeFrom({{0, 70}, {80, 150}});
}

TEST_F(ZarrResume, TwiceAndWithAllSlicesThere) {
    runAndKill([&] {
        const auto sink = open(false);
        writeSlices(*sink, m_voxels, m_grid, {0, 30});
        sink->flush();
    });
    runAndKill([&] {
        const auto sink = open(true);
        writeSlices(*sink, m_voxels, m_grid, {30, 90});
        sink->flush();
        writeSlices(*sink, m_voxels, m_grid, {90, 150});
        sink->flush();
    });
    resumeFrom({0, 150});
}

TEST_F(ZarrResume, FromAnyMomentOfARunInAnyOrder) {
    // Slabs as they come, a flush now and then, an end at some slab.
    for (unsigned seed = 0; seed < 6; ++seed) {
        std::mt19937 random(seed);
        std::vector<IndexRange> slabs;
        for (Index z = 0; z < 150; z = slabs.back().end)
            slabs.push_back({z, std::min<Index>(150, z + 1 + static_cast<Index>(random() % 50))});
        std::shuffle(slabs.begin(), slabs.end(), random);
        const std::size_t end = random() % slabs.size();
        const std::size_t flushed = end == 0 ? 0 : random() % end;
        runAndKill([&] {
            const auto sink = open(false);
            for (std::size_t i = 0; i < end; ++i) {
                writeSlices(*sink, i < flushed ? m_voxels : m_junk, m_grid, slabs[i]);
                if (i + 1 == flushed || (i < flushed && i % 2 == 0)) sink->flush();
            }
        });
        const auto sink = open(true);
        for (std::size_t i = flushed; i < slabs.size(); ++i)
            writeSlices(*sink, m_voxels, m_grid, slabs[i]);
        sink->finish(2);
        EXPECT_TRUE(filesBelow(m_format.path) == m_whole) << "seed " << seed;
    }
}

}  // namespace
}  // namespace gantry
