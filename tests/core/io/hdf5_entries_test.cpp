// Files that hold several scans: which one is meant can be said.
#include <gtest/gtest.h>

#include "core/io/open_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Hdf5Writer;
using test::TemporaryFolder;

class Hdf5Entries : public ::testing::Test {
  protected:
    // The first pixel of each frame that is read, which has the frame's level.
    [[nodiscard]] std::vector<double> levelsOf(const std::string& entry,
                                               FrameKind kind = FrameKind::projections) const {
        const auto source = openSource({m_path}, {.frames = kind, .entry = entry});
        std::vector<double> levels;
        for (Index view = 0; view < source->info().views; ++view) {
            std::vector<std::uint16_t> row(test::kFrameColumns);
            source->readRows(view, {0, 1}, std::as_writable_bytes(std::span(row)));
            levels.push_back(row.front());
        }
        return levels;
    }
    using Strings = std::vector<std::string>;
    using Levels = std::vector<double>;

    TemporaryFolder m_folder;
    fs::path m_path = m_folder / "several.h5";
};

TEST_F(Hdf5Entries, OfNxTomoAreTakenByTheirPaths) {
    {
        Hdf5Writer file(m_path);
        test::writeNxFrames(file, {5, 900, 300, 310}, {2, 1, 0, 0});
        file.text("/night/run 7/definition", "NXtomo");
        const std::string detector = "/night/run 7/instrument/detector";
        test::writeFrames(file, detector + "/data", {410, 9, 420, 430, 950});
        file.numbers(detector + "/image_key", {0, 2, 0, 0, 1});
        file.numbers("/night/run 7/sample/rotation_angle", {0, 0, 60, 120, 0}, "deg");
    }
    EXPECT_EQ(entriesIn(m_path), (Strings{"/entry", "/night/run 7"}));
    EXPECT_EQ(levelsOf({}), (Levels{300, 310}));
    for (const char* entry : {"/night/run 7", "night/run 7", "/night/run 7/"}) {
        EXPECT_EQ(levelsOf(entry), (Levels{410, 420, 430}));
        EXPECT_EQ(levelsOf(entry, FrameKind::dark), (Levels{9}));
        EXPECT_EQ(levelsOf(entry, FrameKind::flat), (Levels{950}));
    }
    const StatedGeometry stated = statedGeometry({m_path}, "/night/run 7").value();
    EXPECT_EQ(stated.where, "the entry /night/run 7");
    EXPECT_EQ(stated.anglesDeg, (Levels{0, 60, 120}));
    EXPECT_TRUE(stated.remarks.empty());  // the entry was chosen
    EXPECT_ERROR((void)levelsOf("/night/run 8"), InputError,
                 "several.h5 has no scan in the entry /night/run 8. There are /entry and "
                 "/night/run 7.");
    EXPECT_ERROR((void)levelsOf("/night"), InputError, "There are /entry and /night/run 7");
}

TEST_F(Hdf5Entries, OfDataExchangeAreTheirGroups) {
    {
        Hdf5Writer file(m_path);
        test::writeFrames(file, "/exchange/data", {300, 310});
        test::writeFrames(file, "/exchange_2/data", {410, 420, 430});
        test::writeFrames(file, "/exchange_2/data_white", {950});
        file.numbers("/exchange_2/theta", {0, 45, 90});
        test::writeFrames(file, "/measurement/photograph", {1});
    }
    EXPECT_EQ(entriesIn(m_path), (Strings{"/exchange", "/exchange_2"}));
    EXPECT_EQ(levelsOf({}), (Levels{300, 310}));
    EXPECT_EQ(levelsOf("exchange_2"), (Levels{410, 420, 430}));
    EXPECT_EQ(levelsOf("exchange_2", FrameKind::flat), (Levels{950}));
    EXPECT_EQ(statedGeometry({m_path}, "exchange_2").value().anglesDeg, (Levels{0, 45, 90}));
    const StatedGeometry usual = statedGeometry({m_path}).value();
    ASSERT_FALSE(usual.remarks.empty());
    EXPECT_NE(usual.remarks.back().sentence.find("holds 2 scans, of which /exchange is taken; the "
                                                 "others are /exchange_2"),
              std::string::npos);
    EXPECT_ERROR((void)levelsOf("exchange_3"), InputError, "There are /exchange and /exchange_2");
}

TEST_F(Hdf5Entries, OfNoKnownLayoutAreDatasets) {
    {
        Hdf5Writer file(m_path);
        test::writeFrames(file, "/low/images", {300, 310});
        test::writeFrames(file, "/high", {410, 420, 430});
        file.numbers("/low/exposure", {1, 2});
    }
    EXPECT_EQ(entriesIn(m_path), (Strings{"/high", "/low/images"}));
    EXPECT_EQ(levelsOf("/high"), (Levels{410, 420, 430}));
    EXPECT_EQ(levelsOf("/low/images"), (Levels{300, 310}));
    // Nothing says which of them holds projections.
    EXPECT_ERROR((void)levelsOf({}), InputError,
                 "An entry can be named, which may be /high and /low/images");
    EXPECT_ERROR((void)levelsOf("/low/exposure"), InputError, "There are /high and /low/images");
    EXPECT_ERROR((void)levelsOf("/high", FrameKind::flat), InputError, "holds no flat frames");
}

TEST_F(Hdf5Entries, AreNotAskedForWhereOneIsMeant) {
    {
        Hdf5Writer file(m_path);
        test::writeNxFrames(file, {300, 310}, {0, 0});
    }
    EXPECT_TRUE(entriesIn(m_path).empty());
    {
        Hdf5Writer file(m_path);
        test::writeNxFrames(file, {300, 310}, {0, 0});
        file.text("/entry2/definition", "NXtomo");
        test::writeFrames(file, "/entry2/instrument/detector/data", {1, 2, 3});
        file.attribute("/", "default", "entry2");
    }
    EXPECT_TRUE(entriesIn(m_path).empty());
    EXPECT_EQ(levelsOf({}), (Levels{1, 2, 3}));
    EXPECT_EQ(levelsOf("entry"), (Levels{300, 310}));
}

}  // namespace
}  // namespace gantry
