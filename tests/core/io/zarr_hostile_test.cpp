#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_levels.h"
#include "tests/core/io/foreign_zarr.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using test::Bytes;
using test::ForeignArray;
using test::randomPixels;
using test::writeForeign;

class HostileZarr : public testing::Test {
  protected:
    HostileZarr() {
        m_array.codec = "lz4";
        restore();
    }
    void restore() {
        const auto [z, y, x] = m_array.shape;
        fs::remove_all(m_image);
        writeForeign(m_image / "0", m_array, randomPixels(PixelType::float32, z * y * x, 91));
        test::writeBytes(m_image / ".zattrs", test::foreignAttributes(0).dump());
    }
    // Reads it whole, or ends in a sentence of one line that names a file of the image.
    [[nodiscard]] bool isRead() const {
        try {
            EXPECT_LE(openStoredVolume(m_image).grid.count(), 1 << 20) << "would take memory";
            (void)readVolume(m_image);
            return true;
        } catch (const InputError& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find(m_image.string()), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
            return false;
        }
    }
    void expectArrayRefused(const char* field, const ordered_json& value, const char* text) {
        ordered_json json = m_array.json();
        json[field] = value;
        test::writeBytes(m_image / "0/.zarray", json.dump());
        EXPECT_ERROR((void)readVolume(m_image), InputError, text);
        EXPECT_FALSE(isStoredVolume(m_image));
    }
    void expectImageRefused(const std::function<void(ordered_json&)>& change, const char* text) {
        ordered_json json = test::foreignAttributes(0);
        change(json["multiscales"][0]);
        test::writeBytes(m_image / ".zattrs", json.dump());
        EXPECT_ERROR((void)readVolume(m_image), InputError, text);
    }
    test::TemporaryFolder m_folder;
    fs::path m_image = m_folder / "image";
    ForeignArray m_array;
};

TEST_F(HostileZarr, AnArrayThatIsNoVolumeIsRefusedByItsField) {
    expectArrayRefused("zarr_format", 3, "zarr_format is 3; Zarr 2 is read");
    expectArrayRefused("shape", {5, 6}, "shape has 2 numbers");
    expectArrayRefused("shape", {2, 5, 6, 7}, "chunks has 3 numbers, and shape has 4");
    expectArrayRefused("shape", {5, 6, 0}, "shape has the number 0");
    expectArrayRefused("shape", {5, 6.5, 7}, "shape has the number 6.5");
    expectArrayRefused("shape", {5, 6, -7}, "shape has the number -7");
    expectArrayRefused("shape", {5, 6, 1e14}, "at most 32768 are read");
    expectArrayRefused("shape", "5", "shape must be a list");
    expectArrayRefused("chunks", {1e15, 1e15, 1e15}, "more than 1.07 GB");
    expectArrayRefused("chunks", {32768, 32768, 2}, "more than 1.07 GB");
    expectArrayRefused("chunks", {2, 4, 0}, "chunks has the number 0");
    expectArrayRefused("dtype", "<f2", "dtype is \"<f2\"");
    expectArrayRefused("dtype", "|u2", "dtype is \"|u2\"");
    expectArrayRefused("dtype", "", "dtype is \"\"");
    expectArrayRefused("dtype", {{{"a", "<f4"}}}, "dtype must be a text");
    expectArrayRefused("order", "F", "order is \"F\"; it must be C");
    expectArrayRefused("compressor", {{"id", "lzma"}}, "compressor.id is \"lzma\"");
    expectArrayRefused("compressor", 3, "compressor must be an object");
    expectArrayRefused("filters", {{{"id", "delta"}}}, "filters names filters");
    expectArrayRefused("fill_value", "zero", "fill_value is \"zero\"");
    expectArrayRefused("fill_value", 1e39, "fill_value is 1e+39, which no voxel of float32 has");
    expectArrayRefused("dimension_separator", "..", "dimension_separator");
    m_array.leading = 1;
    expectArrayRefused("shape", {3, 5, 6, 7}, "shape has 3 times or channels");
    expectArrayRefused("chunks", {3, 2, 4, 3}, "more than one time or channel in a chunk");
}

TEST_F(HostileZarr, AnImageThatIsNoneIsRefusedByItsField) {
    expectImageRefused(
        [](ordered_json& image) {
            image["axes"] = {"z", "x", "y"};
        },
        "multiscales[0].axes[1] is not y");
    expectImageRefused([](ordered_json& image) { image["axes"][0]["unit"] = "furlong"; },
                       "unit is \"furlong\"; it must be millimeter");
    expectImageRefused(
        [](ordered_json& image) {
            image["axes"] = {"z", "y"};
        },
        "multiscales[0].axes must be a list of 3 to 5 axes");
    expectImageRefused(
        [](ordered_json& image) {
            image["axes"] = {"t", "z", "y", "x"};
        },
        "the image has 4 axes");
    expectImageRefused([](ordered_json& image) { image["datasets"] = ordered_json::array(); },
                       "datasets must be a list of 1 to 64 levels");
    for (const char* path : {"../0", "/etc", "", "0/../../x"})
        expectImageRefused([&](ordered_json& image) { image["datasets"][0]["path"] = path; },
                           "path must be the name of a folder in the image");
    expectImageRefused([](ordered_json& image) { image["datasets"][0]["path"] = "none"; },
                       "none/.zarray");
    const auto transform = [](ordered_json& image) -> ordered_json& {
        return image["datasets"][0]["coordinateTransformations"];
    };
    expectImageRefused(
        [&](ordered_json& image) {
            transform(image)[0]["scale"] = {1, 0, 1};
        },
        "scale has 0; it must be greater than 0");
    expectImageRefused(
        [&](ordered_json& image) {
            transform(image)[0]["scale"] = {1, 1};
        },
        "scale has 2 numbers, and the image has 3 axes");
    expectImageRefused(
        [&](ordered_json& image) {
            transform(image)[1]["translation"] = {1e308, 1e308, 1e308};
            image["coordinateTransformations"] = {{{"type", "scale"}, {"scale", {1e9, 1, 1}}}};
        },
        "which is no size or place");
    expectImageRefused([&](ordered_json& image) { transform(image)[0]["type"] = "affine"; },
                       "type is \"affine\"");
    for (const std::string& text :
         {std::string("{}"), std::string("[]"), std::string("{\"multiscales\": [1]}"),
          std::string("{\"multiscales\": {}}"), std::string("{"), std::string(),
          std::string(100000, '['), "{\"multiscales\": " + std::string(100000, '[')}) {
        test::writeBytes(m_image / ".zattrs", text);
        EXPECT_FALSE(isRead());
    }
}

TEST_F(HostileZarr, LevelsThatDoNotFitEachOtherAreRefused) {
    const auto twoLevels = [](ordered_json& image) {
        image["datasets"].push_back(image["datasets"][0]);
        image["datasets"][1]["path"] = "1";
    };
    ForeignArray larger = m_array;
    larger.shape = {5, 6, 8};
    writeForeign(m_image / "1", larger, randomPixels(PixelType::float32, 5 * 6 * 8, 92));
    expectImageRefused(twoLevels, "more voxels than the finer level");
    ForeignArray other = m_array;
    other.dtype = "<i4";
    writeForeign(m_image / "1", other, randomPixels(PixelType::float32, 5 * 6 * 7, 92));
    expectImageRefused(twoLevels, "dtype is int32, and the finer level has float32");
}

TEST_F(HostileZarr, WhatIsNoZarr2IsSaidToBe) {
    fs::remove(m_image / ".zattrs");
    test::writeBytes(m_image / "zarr.json", "{}");
    EXPECT_ERROR((void)readVolume(m_image), InputError, "Zarr 3");
    fs::remove(m_image / "zarr.json");
    test::writeBytes(m_image / ".zgroup", "{\"zarr_format\": 2}");
    EXPECT_ERROR((void)readVolume(m_image), InputError, "it has no .zattrs");
}

TEST_F(HostileZarr, TruncatedAndDamagedChunksAreErrorsThatNameTheFile) {
    std::mt19937 random(93);
    int refused = 0;
    m_array.shape = {4, 4, 3};  // a chunk beside the damaged one
    for (const char* codec : {"", "zlib", "gzip", "lz4", "zstd", "blosclz"}) {
        SCOPED_TRACE(codec);
        m_array.codec = codec;
        restore();
        const fs::path chunk = m_image / "0/1.0.0";
        const std::string whole = readTextFile(chunk);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            test::writeBytes(chunk, whole.substr(0, size));
            EXPECT_ERROR((void)readVolume(m_image), InputError, chunk.string());
        }
        for (int round = 0; round < 400; ++round) {
            std::string damaged = whole;
            // Most in the header, where sizes and codecs are.
            const std::size_t at = round % 4 == 0 ? random() % whole.size() : random() % 20;
            damaged[at] = static_cast<char>(random());
            test::writeBytes(chunk, damaged);
            refused += isRead() ? 0 : 1;
        }
        test::writeBytes(chunk, whole + whole);
        const bool atEndOfStream = std::string(codec) == "zlib" || std::string(codec) == "gzip";
        EXPECT_EQ(isRead(), atEndOfStream);  // what follows a stream is not looked at
    }
    EXPECT_GT(refused, 300);
}

TEST_F(HostileZarr, ABloscHeaderThatLiesAboutItsSizeTakesNoMemory) {
    const fs::path chunk = m_image / "0/1.0.1";
    std::string bytes = readTextFile(chunk);
    for (const std::uint32_t claimed : {0U, 95U, 97U, 0x7fffffffU, 0xffffffffU}) {
        std::memcpy(bytes.data() + 4, &claimed, sizeof(claimed));  // its nbytes
        test::writeBytes(chunk, bytes);
        EXPECT_ERROR((void)readVolume(m_image), InputError, "is damaged");
    }
}

TEST_F(HostileZarr, FlippedBytesOfTheDescriptionsNeverDoMoreThanAnError) {
    std::mt19937 random(94);
    for (const char* name : {".zattrs", "0/.zarray"}) {
        const std::string whole = readTextFile(m_image / name);
        for (int round = 0; round < 1500; ++round) {
            std::string damaged = whole;
            for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
                damaged[random() % damaged.size()] = static_cast<char>(random() % 128);
            test::writeBytes(m_image / name, damaged);
            (void)isRead();
        }
        test::writeBytes(m_image / name, whole);
    }
    EXPECT_TRUE(isRead());
}

}  // namespace
}  // namespace gantry
