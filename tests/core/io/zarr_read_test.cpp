#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <thread>

#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/core/io/foreign_zarr.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::ForeignArray;
using test::randomPixels;
using test::writeForeign;

std::vector<float> floatsOf(PixelType type, const Bytes& pixels) {
    std::vector<float> floats(pixels.size() / static_cast<std::size_t>(sizeBytes(type)));
    toFloat(type, pixels, floats);
    return floats;
}

std::vector<float> voxelsOf(const Volume& volume) {
    return {volume.voxels.span().begin(), volume.voxels.span().end()};
}

class ForeignZarr : public testing::Test {
  protected:
    Bytes write(const ForeignArray& array) {
        fs::remove_all(m_image);
        const Bytes pixels =
            randomPixels(array.type, array.shape[0] * array.shape[1] * array.shape[2], 81);
        writeForeign(m_image / "0", array, pixels);
        test::writeBytes(m_image / ".zattrs", test::foreignAttributes(array.leading).dump());
        return pixels;
    }
    test::TemporaryFolder m_folder;
    fs::path m_image = m_folder / "image";
};

TEST_F(ForeignZarr, EveryTypeOrderCodecAndSeparatorIsRead) {
    struct Named {
        const char* code;
        PixelType type;
    };
    const Named types[] = {{"u1", PixelType::uint8},   {"i1", PixelType::int8},
                           {"u2", PixelType::uint16},  {"i2", PixelType::int16},
                           {"u4", PixelType::uint32},  {"i4", PixelType::int32},
                           {"f4", PixelType::float32}, {"f8", PixelType::float64}};
    Index round = 0;
    for (const Named& type : types)
        for (const char* codec : {"", "zlib", "gzip", "zstd", "lz4", "lz4hc", "blosclz", "zlib"}) {
            SCOPED_TRACE(std::string(type.code) + " " + codec);
            ForeignArray array;
            array.type = type.type;
            array.bigEndian = round % 2 == 1 && sizeBytes(type.type) > 1;
            array.dtype = (sizeBytes(type.type) == 1 ? "|"
                           : array.bigEndian         ? ">"
                                                     : "<") +
                          std::string(type.code);
            array.codec = codec;
            array.separator = round % 3 == 0 ? '/' : '.';
            array.leading = round % 4 == 3 ? 2 : round % 4 == 2 ? 1 : 0;
            ++round;
            const Bytes pixels = write(array);
            const Volume volume = readVolume(m_image);
            EXPECT_TRUE(voxelsOf(volume) == floatsOf(type.type, pixels));
            EXPECT_EQ(volume.grid.voxels, (std::array<Index, 3>{7, 6, 5}));
        }
}

TEST_F(ForeignZarr, LengthsBecomeMillimetresAndPlacesTheCentre) {
    (void)write({});
    const StoredVolume volume = openStoredVolume(m_image);
    EXPECT_TRUE(isStoredVolume(m_image));
    const std::array<double, 3> pitch = {0.2, 0.25, 0.5};
    for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_DOUBLE_EQ(volume.grid.pitchMm[axis], pitch[axis]);
    EXPECT_NEAR(volume.grid.originMm().x, -3, 1e-12);
    EXPECT_NEAR(volume.grid.originMm().y, 2, 1e-12);
    EXPECT_NEAR(volume.grid.originMm().z, 1, 1e-12);
    EXPECT_EQ(volume.slices->info().format, "OME-Zarr, 32-bit float, 1 level");
}

TEST_F(ForeignZarr, ATransformationOfAllLevelsComesAfterThatOfOne) {
    (void)write({});
    nlohmann::ordered_json json = test::foreignAttributes(0);
    json["multiscales"][0]["coordinateTransformations"] = {
        {{"type", "scale"}, {"scale", {2, 2, 2}}},
        {{"type", "translation"}, {"translation", {7000, 0, 0}}}};
    test::writeBytes(m_image / ".zattrs", json.dump());
    const VolumeGrid grid = openStoredVolume(m_image).grid;
    EXPECT_DOUBLE_EQ(grid.pitchMm[2], 1);
    EXPECT_NEAR(grid.originMm().z, 2 * 1 + 7, 1e-12);
}

TEST_F(ForeignZarr, MissingChunksHaveTheFillValue) {
    ForeignArray array;
    array.missing = 1;  // z 0 to 1, y 0 to 3, x 3 to 5
    array.codec = "lz4";
    const std::pair<nlohmann::json, float> fills[] = {
        {0.25, 0.25F}, {nullptr, 0.0F}, {"-Infinity", -std::numeric_limits<float>::infinity()}};
    for (const auto& [fill, value] : fills) {
        array.fill = fill;
        std::vector<float> wanted = floatsOf(array.type, write(array));
        for (std::size_t z = 0; z < 2; ++z)
            for (std::size_t y = 0; y < 4; ++y)
                for (std::size_t x = 3; x < 6; ++x)
                    wanted[(z * 6 + y) * 7 + x] = value;
        EXPECT_TRUE(voxelsOf(readVolume(m_image)) == wanted);
    }
}

TEST_F(ForeignZarr, APlainArrayIsAVolumeOfMillimetres) {
    const Bytes pixels = randomPixels(PixelType::float32, 5 * 6 * 7, 82);
    writeForeign(m_folder / "plain", {}, pixels);
    const Volume volume = readVolume(m_folder / "plain");
    EXPECT_TRUE(voxelsOf(volume) == floatsOf(PixelType::float32, pixels));
    EXPECT_EQ(volume.grid, (VolumeGrid{{7, 6, 5}, {1, 1, 1}, {0, 0, 0}}));
}

TEST_F(ForeignZarr, AxesMayBeNamesAloneOrNone) {
    ForeignArray array;
    array.leading = 2;
    const Bytes pixels = write(array);
    for (const bool named : {true, false}) {
        nlohmann::ordered_json json = test::foreignAttributes(2);
        json["multiscales"][0]["axes"] = {"t", "c", "z", "y", "x"};
        if (!named) json["multiscales"][0].erase("axes");
        json["multiscales"][0]["datasets"] = {{{"path", "0"}}};
        test::writeBytes(m_image / ".zattrs", json.dump());
        const Volume volume = readVolume(m_image);
        EXPECT_TRUE(voxelsOf(volume) == floatsOf(PixelType::float32, pixels));
        EXPECT_EQ(volume.grid.pitchMm, (std::array<double, 3>{1, 1, 1}));
    }
}

TEST_F(ForeignZarr, SlicesAreReadFromSeveralThreads) {
    ForeignArray array;
    array.codec = "zstd";
    const std::vector<float> wanted = floatsOf(array.type, write(array));
    const StoredVolume volume = openStoredVolume(m_image);
    std::array<int, 4> wrong{};
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < wrong.size(); ++t)
            threads.emplace_back([&, t] {
                std::vector<float> slice(6 * 7);
                for (Index round = 0; round < 20; ++round) {
                    const Index z = (round + static_cast<Index>(t)) % 5;
                    volume.read(z, {slice.data(), 1, 6, 7});
                    wrong[t] +=
                        std::equal(slice.begin(), slice.end(), wanted.begin() + z * 42) ? 0 : 1;
                }
            });
    }
    EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

}  // namespace
}  // namespace gantry
