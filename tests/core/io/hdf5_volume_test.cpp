#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <random>
#include <span>

#include "core/io/open_source.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/hdf5_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

class Hdf5Volume : public testing::Test {
  protected:
    fs::path write(const std::string& name, const OutputFormat& how = {}) {
        OutputFormat format = how;
        format.path = m_folder / name;
        const auto sink = openSink(format, m_grid, SinkStart::fresh);
        writeSlices(*sink, m_voxels, m_grid, {5, m_grid.voxels[2]});
        writeSlices(*sink, m_voxels, m_grid, {0, 5});
        sink->finish();
        return format.path;
    }
    // One of another program: some slices of floats.
    fs::path writeForeign(const std::string& dataset, const Hdf5Writer::Storage& storage = {}) {
        fs::path path = m_folder / "foreign.h5";
        Hdf5Writer(path).images(dataset, PixelType::float32, {11, 7, 13},
                                std::as_bytes(std::span(m_voxels)), storage);
        return path;
    }
    void expectVoxels(const fs::path& path) {
        const Volume found = readVolume(path);
        ASSERT_EQ(found.grid.voxels, m_grid.voxels);
        EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), found.voxels.span().begin()));
    }

    TemporaryFolder m_folder;
    VolumeGrid m_grid = oddGrid();
    std::vector<float> m_voxels = randomVoxels(m_grid, 3);
};

// Reads a file by libhdf5 alone.
class PlainFile {
  public:
    explicit PlainFile(const fs::path& path)
        : m_file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
    PlainFile(const PlainFile&) = delete;
    PlainFile& operator=(const PlainFile&) = delete;
    ~PlainFile() { H5Fclose(m_file); }

    std::vector<double> numbers(const char* dataset) const {
        const hid_t opened = H5Dopen2(m_file, dataset, H5P_DEFAULT);
        const hid_t space = H5Dget_space(opened);
        std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        H5Dread(opened, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Sclose(space);
        H5Dclose(opened);
        return values;
    }
    template <std::size_t kCount>
    std::array<double, kCount> attributes(const char* object, const char* name) const {
        std::array<double, kCount> values{};
        const hid_t opened = H5Aopen_by_name(m_file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        H5Aread(opened, H5T_NATIVE_DOUBLE, values.data());
        H5Aclose(opened);
        return values;
    }
    // Reads an attribute of one text or several.
    std::string texts(const char* object, const char* name) const {
        const hid_t opened = H5Aopen_by_name(m_file, object, name, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t type = H5Aget_type(opened);
        std::array<char*, 3> found{};
        H5Aread(opened, type, found.data());
        std::string all;
        for (char* text : found) {
            if (text) all += text;
            H5free_memory(text);
        }
        H5Tclose(type);
        H5Aclose(opened);
        return all;
    }

  private:
    hid_t m_file;
};

TEST_F(Hdf5Volume, OthersFindVoxelsAxesAndTheDefaultPlot) {
    const fs::path path = write("Nuß 'a'.h5");
    const PlainFile file(path);
    for (const char* name : {"/entry/data/data", "/exchange/data"}) {
        const std::vector<double> found = file.numbers(name);
        EXPECT_TRUE(std::equal(m_voxels.begin(), m_voxels.end(), found.begin(), found.end()));
    }
    EXPECT_EQ(file.texts("/", "default"), "entry");
    EXPECT_EQ(file.texts("/entry", "NX_class"), "NXentry");
    EXPECT_EQ(file.texts("/entry", "default"), "data");
    EXPECT_EQ(file.texts("/entry/data", "NX_class"), "NXdata");
    EXPECT_EQ(file.texts("/entry/data", "signal"), "data");
    EXPECT_EQ(file.texts("/entry/data", "axes"), "zyx");
    EXPECT_EQ(file.texts("/entry/data/data", "units"), "1/mm");
    EXPECT_EQ(file.texts("/entry/data/z", "units"), "mm");
    const std::vector<double> z = file.numbers("/entry/data/z");
    ASSERT_EQ(z.size(), 11u);
    constexpr double kRounding = 1e-12;  // of numbers about 100
    EXPECT_NEAR(z.front(), 103.3 - 5 * 1.1, kRounding);
    EXPECT_NEAR(z.back(), 103.3 + 5 * 1.1, kRounding);
    const std::vector<double> x = file.numbers("/entry/data/x");
    ASSERT_EQ(x.size(), 13u);
    EXPECT_NEAR(x[1], 12.5 - 5 * 0.3, kRounding);
    const auto um = file.attributes<3>("/entry/data/data", "element_size_um");
    EXPECT_NEAR(um[0], 1100, 1e-9);
    EXPECT_NEAR(um[1], 450, 1e-9);
    EXPECT_NEAR(um[2], 300, 1e-9);
}

TEST_F(Hdf5Volume, ScaledVoxelsTellTheirScale) {
    const fs::path path = write("a.nxs", {{}, PixelType::uint16, {{-0.02, 0.12}}});
    const PlainFile file(path);
    const double slope = file.attributes<1>("/entry/data/data", "slope")[0];
    const double intercept = file.attributes<1>("/entry/data/data", "intercept")[0];
    const std::vector<double> stored = file.numbers("/entry/data/data");
    ASSERT_EQ(stored.size(), m_voxels.size());
    for (std::size_t i = 0; i < stored.size(); ++i)
        // Half a step, and the rounding of a float.
        EXPECT_NEAR(slope * stored[i] + intercept, static_cast<double>(m_voxels[i]),
                    0.14 / 65535 / 2 + 1e-8);
}

TEST_F(Hdf5Volume, TheSameVolumeGivesTheSameBytes) {
    EXPECT_EQ(fileBytes(write("a.h5")), fileBytes(write("b.h5")));
}

TEST_F(Hdf5Volume, ItIsAVolumeAndNoScan) {
    const fs::path path = write("a.hdf5");
    EXPECT_TRUE(isStoredVolume(path));
    EXPECT_ERROR((void)openSource({path}, {}), InputError,
                 "a.hdf5 holds a reconstructed volume, not the projections of a scan.");
    fs::path scan = m_folder / "scan.h5";
    {
        Hdf5Writer file(scan);
        file.images("/exchange/data", PixelType::float32, {11, 7, 13},
                    std::as_bytes(std::span(m_voxels)));
        file.numbers("/exchange/theta", std::vector<double>(11, 1.0), "deg");
    }
    EXPECT_FALSE(isStoredVolume(scan));
    EXPECT_ERROR((void)readVolume(scan), InputError,
                 "scan.h5 holds the projections of a scan, not a volume.");
}

TEST_F(Hdf5Volume, VolumesOfOtherProgramsAreRead) {
    const fs::path path = writeForeign("/exported_data", {.chunk = {3, 4, 5}, .gzip = 1});
    EXPECT_TRUE(isStoredVolume(path));
    expectVoxels(path);
    EXPECT_EQ(readVolume(path).grid.pitchMm, (std::array<double, 3>{1, 1, 1}));
    {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hsize_t count = 3;
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t made =
            H5Acreate_by_name(file, "/exported_data", "element_size_um", H5T_NATIVE_DOUBLE, space,
                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const std::array<double, 3> um = {3000, 2500, 500};
        H5Awrite(made, H5T_NATIVE_DOUBLE, um.data());
        H5Aclose(made);
        H5Sclose(space);
        H5Fclose(file);
    }
    EXPECT_EQ(readVolume(path).grid.pitchMm, (std::array<double, 3>{0.5, 2.5, 3}));
    // May be projections as well.
    EXPECT_FALSE(isStoredVolume(writeForeign("/exchange/data")));
    expectVoxels(m_folder / "foreign.h5");
    EXPECT_ERROR((void)readVolume(writeForeign("/some/where")), InputError,
                 "foreign.h5 is an HDF5 file without a volume that Gantry knows");
}

// Whatever bytes are wrong: a volume, or one sentence that names the file.
TEST_F(Hdf5Volume, DamagedFilesEndInASentence) {
    const std::string good = fileBytes(write("good.h5"));
    const fs::path path = m_folder / "bad.h5";
    std::mt19937 random(9);
    for (int turn = 0; turn < 60; ++turn) {
        std::string bad = good;
        if (turn % 5 == 0)
            bad.resize(random() % bad.size());
        else
            for (int i = 0; i < 1 + turn % 7; ++i)
                bad[random() % bad.size()] = static_cast<char>(random() & 0xff);
        writeBytes(path, bad);
        try {
            (void)readVolume(path);
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("bad.h5"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace gantry
