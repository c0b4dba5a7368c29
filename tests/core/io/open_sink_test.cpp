#include "core/io/volume/open_sink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <regex>
#include <thread>

#include "core/base/file.h"
#include "core/io/volume/read_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::fileBytes;
using test::namesIn;
using test::oddGrid;
using test::randomVoxels;
using test::writeSlices;

constexpr std::array<double, 2> kRange = {-0.01, 0.11};

struct SinkCase {
    std::string fileName;
    PixelType type = PixelType::float32;
    std::vector<std::string> results;  // names in the folder when all is done
};

// Attenuation may be off by half a step of the scale, and by the float that it is given back in.
double tolerance(PixelType type) {
    const double largest = type == PixelType::uint8 ? 255 : 65535;
    return type == PixelType::float32 ? 0 : (kRange[1] - kRange[0]) / largest / 2 + 0.1 * 6e-8;
}

OutputFormat formatOf(const SinkCase& which, const fs::path& folder) {
    OutputFormat format{folder / which.fileName, which.type, {}};
    if (which.type != PixelType::float32) format.range = kRange;
    return format;
}

// All files below the folder, names and contents.
std::string contentsOf(const fs::path& folder) {
    std::string all;
    for (const std::string& name : namesIn(folder))
        all += name + "\n" +
               (fs::is_directory(folder / name) ? contentsOf(folder / name)
                                                : fileBytes(folder / name));
    // DICOM's identifiers differ from volume to volume.
    return std::regex_replace(all, std::regex("2\\.25\\.[0-9]{39}"), "UID");
}

void expectSame(const Volume& found, const VolumeGrid& grid, const std::vector<float>& voxels,
                double max) {
    ASSERT_EQ(found.grid.voxels, grid.voxels);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(found.grid.pitchMm[axis], grid.pitchMm[axis]);
        // MetaImage states the first voxel's centre: rounding of some hundred mm in double.
        EXPECT_NEAR(found.grid.centerMm[axis], grid.centerMm[axis], 1e-12);
    }
    double worst = 0;
    for (std::size_t i = 0; i < voxels.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(found.voxels.span()[i]) -
                                         static_cast<double>(voxels[i])));
    EXPECT_LE(worst, max);
}

class OpenSink : public testing::TestWithParam<SinkCase> {
  protected:
    test::TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = randomVoxels(m_grid, 7);
};

// What does not depend on how voxels are stored.
class SinkLife : public OpenSink {};

std::vector<SinkCase> allCases() {
    std::vector<SinkCase> cases;
    for (const PixelType type : {PixelType::float32, PixelType::uint16, PixelType::uint8}) {
        cases.push_back({"volume.mha", type, {"volume.mha"}});
        cases.push_back({"volume.mhd", type, {"volume.mhd", "volume.raw"}});
        cases.push_back({"volume.raw", type, {"volume.raw", "volume.raw.json"}});
        cases.push_back({"slices", type, {"slices"}});
        cases.push_back({"volume.tif", type, {"volume.tif"}});
        cases.push_back({"volume.ome.zarr", type, {"volume.ome.zarr"}});
        cases.push_back({"volume.h5", type, {"volume.h5"}});
        cases.push_back({"volume.vgi", type, {"volume.vgi", "volume.vol"}});
        cases.push_back({"volume.nrrd", type, {"volume.nrrd"}});
        cases.push_back({"volume.nhdr", type, {"volume.nhdr", "volume.raw"}});
        cases.push_back({"volume.nii", type, {"volume.nii"}});
        cases.push_back({"volume.ome.tif", type, {"volume.ome.tif"}});
    }
    cases.push_back({"volume.dcm", PixelType::uint16, {"volume.dcm"}});
    cases.push_back({"it's \"Müller\" 2 %.mha", PixelType::float32, {"it's \"Müller\" 2 %.mha"}});
    cases.push_back({"a ü'.mhd", PixelType::uint8, {"a ü'.mhd", "a ü'.raw"}});
    cases.push_back({"a * ü'/", PixelType::uint16, {"a * ü'"}});
    cases.push_back({"a * ü'.Zarr/", PixelType::uint16, {"a * ü'.Zarr"}});
    cases.push_back({"VOLUME.TIFF", PixelType::uint8, {"VOLUME.TIFF"}});
    return cases;
}

std::vector<SinkCase> oneOfEach() {
    return {{"volume.mha", PixelType::uint8, {"volume.mha"}},
            {"volume.mhd", PixelType::float32, {"volume.mhd", "volume.raw"}},
            {"volume.raw", PixelType::uint16, {"volume.raw", "volume.raw.json"}},
            {"slices", PixelType::float32, {"slices"}},
            {"volume.tif", PixelType::uint16, {"volume.tif"}},
            {"volume.ome.zarr", PixelType::uint8, {"volume.ome.zarr"}},
            {"volume.h5", PixelType::uint16, {"volume.h5"}},
            {"volume.vgi", PixelType::uint16, {"volume.vgi", "volume.vol"}},
            {"volume.nrrd", PixelType::uint8, {"volume.nrrd"}},
            {"volume.nhdr", PixelType::uint16, {"volume.nhdr", "volume.raw"}},
            {"volume.nii", PixelType::uint16, {"volume.nii"}},
            {"volume.ome.tif", PixelType::float32, {"volume.ome.tif"}},
            {"volume.dcm", PixelType::uint16, {"volume.dcm"}}};
}

std::string labelOf(const testing::TestParamInfo<SinkCase>& which) {
    std::string label = which.param.fileName + "_" + std::string(name(which.param.type));
    for (char& c : label)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return label;
}

INSTANTIATE_TEST_SUITE_P(AllFormats, OpenSink, testing::ValuesIn(allCases()), labelOf);
INSTANTIATE_TEST_SUITE_P(AllFormats, SinkLife, testing::ValuesIn(oneOfEach()), labelOf);

TEST_P(OpenSink, givesBackWhatWasWrittenInAnyOrder) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    const auto sink = openSink(format, m_grid, SinkStart::fresh);
    std::vector<Index> order(static_cast<std::size_t>(m_grid.voxels[2]));
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    for (const Index z : order)
        writeSlices(*sink, m_voxels, m_grid, {z, z + 1});
    for (const std::string& name : namesIn(m_folder.path()))
        EXPECT_TRUE(name.ends_with(".part")) << name << " has a final name already";
    sink->finish();
    EXPECT_EQ(namesIn(m_folder.path()), GetParam().results);
    expectSame(readVolume(format.path), m_grid, m_voxels, tolerance(GetParam().type));
}

TEST_P(SinkLife, takesSlicesFromSeveralThreads) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    const auto sink = openSink(format, m_grid, SinkStart::fresh);
    {
        std::vector<std::jthread> threads;
        for (Index z = 0; z < m_grid.voxels[2]; z += 3)
            threads.emplace_back([&, z] {
                writeSlices(*sink, m_voxels, m_grid, {z, std::min(z + 3, m_grid.voxels[2])});
            });
    }
    sink->finish();
    expectSame(readVolume(format.path), m_grid, m_voxels, tolerance(GetParam().type));
}

TEST_P(SinkLife, resumedIsByteForByteTheUninterrupted) {
    const test::TemporaryFolder other;
    const auto whole = openSink(formatOf(GetParam(), other.path()), m_grid, SinkStart::fresh);
    writeSlices(*whole, m_voxels, m_grid, {0, m_grid.voxels[2]});
    whole->finish();

    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    {
        const auto killed = openSink(format, m_grid, SinkStart::fresh);
        writeSlices(*killed, m_voxels, m_grid, {0, 4});
        killed->flush();
        // A slab that was under way holds anything.
        writeSlices(*killed, randomVoxels(m_grid, 99), m_grid, {4, 6});
    }
    EXPECT_FALSE(fs::exists(format.path));
    const auto resumed = openSink(format, m_grid, SinkStart::resumed);
    writeSlices(*resumed, m_voxels, m_grid, {4, m_grid.voxels[2]});
    resumed->finish();
    EXPECT_TRUE(contentsOf(m_folder.path()) == contentsOf(other.path()));
}

TEST_P(SinkLife, replacesAnOlderOutputOnlyWhenComplete) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    const std::vector<float> older = randomVoxels(m_grid, 1);
    const auto first = openSink(format, m_grid, SinkStart::fresh);
    writeSlices(*first, older, m_grid, {0, m_grid.voxels[2]});
    first->finish();

    const auto second = openSink(format, m_grid, SinkStart::fresh);
    writeSlices(*second, m_voxels, m_grid, {0, m_grid.voxels[2]});
    expectSame(readVolume(format.path), m_grid, older, tolerance(GetParam().type));
    second->finish();
    expectSame(readVolume(format.path), m_grid, m_voxels, tolerance(GetParam().type));
    EXPECT_EQ(namesIn(m_folder.path()), GetParam().results);
}

TEST_P(SinkLife, discardLeavesNothing) {
    const auto sink = openSink(formatOf(GetParam(), m_folder.path()), m_grid, SinkStart::fresh);
    writeSlices(*sink, m_voxels, m_grid, {2, 5});
    sink->discard();
    EXPECT_TRUE(namesIn(m_folder.path()).empty());
}

TEST_P(SinkLife, refusesToCompleteWithSlicesMissing) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    const auto sink = openSink(format, m_grid, SinkStart::fresh);
    writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2] - 1});
    EXPECT_ERROR(sink->finish(), InternalError, "slices");
    EXPECT_FALSE(fs::exists(format.path));
}

// Its header had no line that leaves room for a scale.
TEST(MetaImageSink, aFileOfAnEarlierVersionIsResumed) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 4);
    const OutputFormat format{folder / "v.mha", PixelType::float32, {}};
    const auto fresh = openSink(format, grid, SinkStart::fresh);
    writeSlices(*fresh, voxels, grid, {0, grid.voxels[2]});
    fresh->finish();
    std::string whole = fileBytes(folder / "v.mha");
    const std::size_t line = whole.find("Comment = Gantry");
    whole.erase(line, whole.find('\n', line) + 1 - line);
    fs::remove(folder / "v.mha");
    std::string begun = whole;
    std::fill(begun.end() - 500, begun.end(), '\0');  // a part of the last two slices
    test::writeBytes(folder / "v.mha.part", begun);
    const auto resumed = openSink(format, grid, SinkStart::resumed);
    writeSlices(*resumed, voxels, grid, {9, grid.voxels[2]});
    resumed->finish();
    EXPECT_EQ(fileBytes(folder / "v.mha"), whole);
}

TEST_P(SinkLife, resumesOnlyWhatFits) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    EXPECT_ERROR((void)openSink(format, m_grid, SinkStart::resumed), InputError,
                 "is gone. Start the job again");
    writeSlices(*openSink(format, m_grid, SinkStart::fresh), m_voxels, m_grid, {0, 3});
    VolumeGrid moved = m_grid;
    moved.centerMm[1] += 1;
    // A bare .raw cannot tell, but its description can.
    EXPECT_ERROR((void)openSink(format, moved, SinkStart::resumed), InputError,
                 "differs in size, type or place");
    VolumeGrid larger = m_grid;
    larger.voxels[0] += 2;
    EXPECT_ERROR((void)openSink(format, larger, SinkStart::resumed), InputError,
                 "differs in size, type or place");
}

// Layouts that were never released are not known any more.
TEST(FlatSink, aFileThatAnotherVersionBeganIsRefusedInASentence) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = oddGrid();
    for (const char* name : {"v.nrrd", "v.ome.tif", "v.nii"}) {
        const OutputFormat format{folder / name, PixelType::float32, {}};
        (void)openSink(format, grid, SinkStart::fresh);  // killed before its first slice
        const fs::path part = folder / (std::string(name) + ".part");
        std::string begun = fileBytes(part);
        ASSERT_NE(begun, "") << name;
        begun.front() ^= 1;  // another text in front of the voxels
        test::writeBytes(part, begun);
        EXPECT_ERROR((void)openSink(format, grid, SinkStart::resumed), InputError,
                     "another version of Gantry began it. Start the job again from the beginning");
        EXPECT_EQ(fileBytes(part), begun) << name;
    }
}

TEST_P(SinkLife, predictsTheSizeOnDisk) {
    const OutputFormat format = formatOf(GetParam(), m_folder.path());
    const auto sink = openSink(format, m_grid, SinkStart::fresh);
    writeSlices(*sink, m_voxels, m_grid, {0, m_grid.voxels[2]});
    sink->finish();
    Index bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(m_folder.path()))
        if (entry.is_regular_file()) bytes += static_cast<Index>(entry.file_size());
    const Index predicted = outputBytes(format, m_grid);
    EXPECT_GE(predicted, bytes);
    // Headers are rounded up to at most 4 kB each.
    EXPECT_LE(predicted, bytes + 4096 * (m_grid.voxels[2] + 1));
}

// A folder in memory, if this system has one.
std::optional<fs::path> folderInMemory() {
    const fs::path folder = fmt::format("/dev/shm/gantry-open-sink-{}", ::getpid());
    std::error_code failed;
    fs::create_directory(folder, failed);
    return failed ? std::nullopt : std::optional(folder);
}

Index bytesTaken(const fs::path& path) {
    struct stat file {};
    return ::stat(path.c_str(), &file) == 0 ? Index{512} * file.st_blocks : 0;
}

TEST(FileInMemory, ItsMemoryIsTakenBeforeSlicesCome) {
    const std::optional<fs::path> folder = folderInMemory();
    if (!folder) GTEST_SKIP() << "no disk in memory here";
    VolumeGrid grid = oddGrid();
    grid.voxels = {131, 127, 201};
    const Index bytes = grid.count() * Index{sizeof(float)};
    const auto open = [&] {
        auto sink =
            openSink({*folder / "volume.raw", PixelType::float32, {}}, grid, SinkStart::fresh);
        const IndexRange all[] = {{0, grid.voxels[2]}};
        sink->expect(all);
        return sink;
    };
    auto sink = open();
    for (int tries = 0; tries < 500 && bytesTaken(*folder / "volume.raw.part") < bytes; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(bytesTaken(*folder / "volume.raw.part"), bytes);
    sink->discard();
    EXPECT_TRUE(namesIn(*folder).empty());
    // In the midst of it, too.
    grid.voxels = {1024, 1024, 128};
    if (freeDiskBytes(*folder) > 2 * grid.count() * Index{sizeof(float)}) open()->discard();
    EXPECT_TRUE(namesIn(*folder).empty());
    fs::remove_all(*folder);
}

class OpenSinkRefuses : public testing::Test {
  protected:
    void expectInputError(const std::string& fileName, const std::string& text) {
        EXPECT_ERROR((void)openSink({m_folder / fileName, PixelType::float32, {}}, oddGrid(),
                                    SinkStart::fresh),
                     InputError, text);
    }
    test::TemporaryFolder m_folder;
};

TEST_F(OpenSinkRefuses, anUnknownFormat) {
    expectInputError("volume.xyz", ".mha, .mhd, .raw, .ome.tif");
}

TEST_F(OpenSinkRefuses, aFolderThatIsNotThere) {
    expectInputError("missing/volume.mha", "missing does not exist");
    expectInputError("missing/slices/", "missing does not exist");
}

TEST_F(OpenSinkRefuses, aFolderWhereAFileIsNeededAndTheReverse) {
    fs::create_directory(m_folder / "volume.mha");
    expectInputError("volume.mha", "it is a folder");
    fs::create_directory(m_folder / "other.raw");
    expectInputError("other.mhd", "other.raw: it is a folder");
    fs::create_directory(m_folder / "third.raw.json");
    expectInputError("third.raw", "third.raw.json: it is a folder");
    test::writeBytes(m_folder / "slices", "text");
    expectInputError("slices", "it is a file");
    EXPECT_ERROR((void)openSink({"/dev/full", PixelType::float32, {}}, oddGrid(), SinkStart::fresh),
                 InputError, "/dev/full: it is a file, and a folder is needed");
}

TEST_F(OpenSinkRefuses, aFolderWithOtherFilesInIt) {
    for (const std::string name : {"slices", "v.zarr"}) {
        fs::create_directory(m_folder / name);
        test::writeBytes(m_folder / name / "thesis.doc", "precious");
        expectInputError(name, "other files");
        EXPECT_EQ(fileBytes(m_folder / name / "thesis.doc"), "precious");
    }
}

TEST_F(OpenSinkRefuses, aTemporaryFolderWithOtherFilesInIt) {
    for (const std::string name : {"slices", "v.zarr"}) {
        const fs::path part = m_folder / (name + ".part");
        fs::create_directory(part);
        test::writeBytes(part / "thesis.doc", "precious");
        expectInputError(name, "other files");
        EXPECT_EQ(fileBytes(part / "thesis.doc"), "precious");
    }
}

TEST_F(OpenSinkRefuses, noName) {
    EXPECT_ERROR((void)openSink({"", PixelType::float32, {}}, oddGrid(), SinkStart::fresh),
                 InputError, "it needs a name");
    expectInputError("..", "it needs a name");
    expectInputError("LIST 1.mhd", "choose another name");
    expectInputError("100%.mhd", "choose another name");
}

TEST_F(OpenSinkRefuses, aPlaceThatCannotBeWritten) {
    if (::geteuid() == 0) GTEST_SKIP() << "the system's administrator may write anywhere";
    fs::permissions(m_folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    expectInputError("volume.mha", "no files can be made in the folder");
    fs::permissions(m_folder.path(), fs::perms::owner_all);
}

TEST_F(OpenSinkRefuses, otherTypesAndRanges) {
    const auto refused = [&](PixelType type, std::optional<std::array<double, 2>> range,
                             const std::string& text) {
        EXPECT_ERROR((void)openSink({m_folder / "v.mha", type, range}, oddGrid(), SinkStart::fresh),
                     InputError, text);
    };
    refused(PixelType::int16, {}, "float32, uint16 or uint8");
    refused(PixelType::float32, kRange, "uint16 and uint8");
    refused(PixelType::uint16, {{1, 1}}, "range");
    refused(PixelType::uint8, {{2, 1}}, "range");
    refused(PixelType::uint8, {{0, INFINITY}}, "range");
    EXPECT_TRUE(namesIn(m_folder.path()).empty());
}

TEST_F(OpenSinkRefuses, aVolumeLargerThanTheDisk) {
    const VolumeGrid huge{{1'000'000, 1'000'000, 100'000}, {1, 1, 1}, {0, 0, 0}};
    for (const char* fileName : {"v.mha", "v.mhd", "v.raw", "v.tif", "slices/"}) {
        EXPECT_ERROR(
            (void)openSink({m_folder / fileName, PixelType::float32, {}}, huge, SinkStart::fresh),
            ResourceError, "Use 8- or 16-bit output");
        EXPECT_ERROR(
            (void)openSink({m_folder / fileName, PixelType::uint8, {}}, huge, SinkStart::fresh),
            ResourceError, "Give a range");
    }
    EXPECT_TRUE(namesIn(m_folder.path()).empty());
}

}  // namespace
}  // namespace gantry
