#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/io/open_source.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/hdf5_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr ImageShape kShape{11, 7, PixelType::uint16};
// Dark, flat, projections, an invalid one, and flat again.
const std::vector<double> kKeys = {2, 1, 0, 0, 3, 0, 0, 1};
const std::vector<double> kAngles = {0, 0, 0, 0.8, 1.6, 2.4, 3.1, 3.1};

constexpr Index kImagePixels = kShape.rows * kShape.columns;

std::span<const std::byte> imageOf(const Bytes& pixels, Index image) {
    const Index bytes = kImagePixels * sizeBytes(kShape.type);
    return std::span(pixels).subspan(static_cast<std::size_t>(image * bytes),
                                     static_cast<std::size_t>(bytes));
}

Bytes rowsOf(const Bytes& pixels, Index image, IndexRange rows, bool firstRowIsTop) {
    const auto one = imageOf(pixels, image);
    return detectorRows(Bytes(one.begin(), one.end()), kShape, rows, firstRowIsTop);
}

void writeNxTomo(const fs::path& path, const Bytes& pixels, const Hdf5Writer::Storage& storage,
                 const std::string& entry = "/entry") {
    Hdf5Writer file(path);
    file.text(entry + "/definition", "NXtomo");
    file.images(entry + "/instrument/detector/data", kShape.type, {8, 7, 11}, pixels, storage);
    file.numbers(entry + "/instrument/detector/image_key", kKeys);
    file.numbers(entry + "/instrument/detector/x_pixel_size", {6.5}, "um");
    file.numbers(entry + "/instrument/detector/y_pixel_size", {7e-6}, "m");
    file.numbers(entry + "/instrument/detector/distance", {-4}, "cm");
    file.numbers(entry + "/sample/rotation_angle", kAngles, "rad");
}

Bytes randomImages(std::uint32_t seed) {
    return randomPixels(kShape.type, 8 * kImagePixels, seed);
}

TEST(Hdf5Source, FramesOfAnNxTomoFileAreSortedByTheirKeys) {
    const TemporaryFolder folder;
    const Bytes pixels = randomImages(1);
    const std::vector<Hdf5Writer::Storage> storages = {
        {}, {.isBigEndian = true}, {.chunk = {1, 7, 11}}, {.chunk = {3, 2, 4}, .gzip = 4}};
    for (const Hdf5Writer::Storage& storage : storages) {
        const fs::path path = folder / "Nuß 'a' \"b\".nxs";
        writeNxTomo(path, pixels, storage);
        for (const bool firstRowIsTop : {true, false}) {
            const auto source = openSource({path}, {.firstRowIsTop = firstRowIsTop});
            ASSERT_EQ(source->info().views, 4);
            EXPECT_EQ(source->info().isCompressed, storage.gzip > 0);
            EXPECT_EQ(source->info().readsRowsAlone, storage.chunk.empty() || storage.chunk[1] < 7);
            EXPECT_TRUE(source->info().format.starts_with("HDF5 (NXtomo), 16-bit"));
            Index view = 0;
            for (const Index image : {2, 3, 5, 6}) {
                for (const IndexRange rows : {IndexRange{0, 7}, IndexRange{2, 5}})
                    EXPECT_PIXELS_EQ(readView(*source, view, rows),
                                     rowsOf(pixels, image, rows, firstRowIsTop));
                ++view;
            }
            EXPECT_EQ(source->viewName(2), path.string() + ", image 5");
        }
        const auto mirrored = openSource({path}, {.isMirrored = true});
        EXPECT_PIXELS_EQ(readView(*mirrored, 1, {2, 5}),
                         mirroredRows(rowsOf(pixels, 3, {2, 5}, true), kShape));
        const auto dark = openSource({path}, {.frames = FrameKind::dark});
        ASSERT_EQ(dark->info().views, 1);
        EXPECT_PIXELS_EQ(readView(*dark, 0, {0, 7}), rowsOf(pixels, 0, {0, 7}, true));
        const auto flat = openSource({path}, {.frames = FrameKind::flat});
        ASSERT_EQ(flat->info().views, 2);
        EXPECT_PIXELS_EQ(readView(*flat, 1, {0, 7}), rowsOf(pixels, 7, {0, 7}, true));
    }
}

TEST(Hdf5Source, AnNxTomoFileStatesItsGeometry) {
    const TemporaryFolder folder;
    writeNxTomo(folder / "a.nx", randomImages(2), {}, "/entry1/tomo_entry");
    const auto stated = statedGeometry({folder / "a.nx"});
    ASSERT_TRUE(stated);
    EXPECT_EQ(stated->where, "the entry /entry1/tomo_entry");
    ASSERT_EQ(stated->anglesDeg.size(), 4u);
    EXPECT_NEAR(stated->anglesDeg[1], 0.8 * 180 / 3.14159265358979, 1e-9);
    ASSERT_TRUE(stated->pitchMm);
    EXPECT_NEAR((*stated->pitchMm)[0], 0.0065, 1e-12);
    EXPECT_NEAR((*stated->pitchMm)[1], 0.007, 1e-12);
    ASSERT_TRUE(stated->objectToDetectorMm);
    EXPECT_NEAR(*stated->objectToDetectorMm, 40, 1e-12);
    EXPECT_FALSE(stated->sourceToObjectMm);
    EXPECT_TRUE(stated->hasDark);
    EXPECT_TRUE(stated->hasFlat);
}

TEST(Hdf5Source, DataExchangeHasADatasetForEachKind) {
    const TemporaryFolder folder;
    const Bytes pixels = randomImages(3);
    const Bytes white = randomPixels(kShape.type, 2 * kImagePixels, 4);
    // Sinograms: [row][image][column].
    Bytes sinograms(pixels.size());
    const auto rowBytes = static_cast<std::size_t>(kShape.columns * 2);
    for (std::size_t image = 0; image < 8; ++image)
        for (std::size_t row = 0; row < 7; ++row)
            std::copy_n(
                pixels.begin() + static_cast<std::ptrdiff_t>((image * 7 + row) * rowBytes),
                rowBytes,
                sinograms.begin() + static_cast<std::ptrdiff_t>((row * 8 + image) * rowBytes));
    for (const bool asSinograms : {false, true}) {
        const fs::path path = folder / "exchange.h5";
        {
            Hdf5Writer file(path, 512);
            if (asSinograms) {
                file.images("/exchange/data", kShape.type, {7, 8, 11}, sinograms,
                            {.chunk = {2, 8, 11}, .gzip = 1});
                file.attribute("/exchange/data", "axes", "y:theta:x");
            } else {
                file.images("/exchange/data", kShape.type, {8, 7, 11}, pixels);
            }
            file.images("/exchange/data_white", kShape.type, {2, 7, 11}, white);
        }
        const auto source = openSource({path}, {});
        ASSERT_EQ(source->info().views, 8);
        for (Index view = 0; view < 8; ++view)
            EXPECT_PIXELS_EQ(readView(*source, view, {1, 6}), rowsOf(pixels, view, {1, 6}, true));
        const auto flat = openSource({path}, {.frames = FrameKind::flat});
        EXPECT_PIXELS_EQ(readView(*flat, 1, {0, 7}), rowsOf(white, 1, {0, 7}, true));
        EXPECT_ERROR((void)openSource({path}, {.frames = FrameKind::dark}), InputError,
                     "exchange.h5 holds no dark frames.");
        EXPECT_EQ(statedGeometry({path})->arcDeg, 180);
    }
}

TEST(Hdf5Source, ManyThreadsReadAtOnce) {
    const TemporaryFolder folder;
    const Bytes pixels = randomImages(5);
    for (const Hdf5Writer::Storage& storage :
         std::vector<Hdf5Writer::Storage>{{}, {.chunk = {2, 3, 5}, .gzip = 2}}) {
        writeNxTomo(folder / "scan.nxs", pixels, storage);
        const auto source = openSource({folder / "scan.nxs"}, {});
        const std::vector<Index> images = {2, 3, 5, 6};
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (int turn = 0; turn < 20; ++turn) {
                    const auto view = static_cast<std::size_t>((turn + t) % 4);
                    EXPECT_PIXELS_EQ(readView(*source, static_cast<Index>(view), {0, 7}),
                                     rowsOf(pixels, images[view], {0, 7}, true));
                }
            });
    }
}

// The images of an NXtomo file often lie in other files.
TEST(Hdf5Source, ImagesInOtherFilesAreFoundOrNamed) {
    const TemporaryFolder folder;
    const Bytes pixels = randomImages(6);
    { Hdf5Writer(folder / "raw ä.h5").images("/data", kShape.type, {8, 7, 11}, pixels); }
    {
        Hdf5Writer file(folder / "linked.nxs");
        file.text("/entry/definition", "NXtomo");
        file.link("/entry/instrument/detector/data", "raw ä.h5", "/data");
        file.numbers("/entry/instrument/detector/image_key", kKeys);
    }
    {
        Hdf5Writer file(folder / "virtual.nxs");
        file.text("/entry/definition", "NXtomo");
        file.numbers("/entry/instrument/detector/image_key", kKeys);
        const std::vector<hsize_t> sizes = {8, 7, 11};
        const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_virtual(creation, space, "raw ä.h5", "/data", space);
        H5Dclose(H5Dcreate2(file.file(), "/entry/instrument/detector/data", H5T_STD_U16LE, space,
                            file.onTheWay(), creation, H5P_DEFAULT));
        H5Pclose(creation);
        H5Sclose(space);
    }
    for (const char* name : {"linked.nxs", "virtual.nxs"}) {
        const auto source = openSource({folder / name}, {});
        EXPECT_PIXELS_EQ(readView(*source, 2, {0, 7}), rowsOf(pixels, 5, {0, 7}, true)) << name;
    }
    { Hdf5Writer(folder / "raw ä.h5").images("/other", kShape.type, {8, 7, 11}, pixels); }
    EXPECT_ERROR((void)openSource({folder / "virtual.nxs"}, {}), InputError,
                 "virtual.nxs has images in the dataset /data of ");
    fs::remove(folder / "raw ä.h5");
    EXPECT_ERROR((void)openSource({folder / "linked.nxs"}, {}), InputError,
                 "linked.nxs has its images, /entry/instrument/detector/data, in another file, "
                 "which is missing or unreadable: raw ä.h5.");
    EXPECT_ERROR((void)openSource({folder / "virtual.nxs"}, {}), InputError,
                 "virtual.nxs has images in another file, which is missing: raw ä.h5.");
}

TEST(Hdf5Source, WhatItCannotReadIsNamed) {
    const TemporaryFolder folder;
    const fs::path path = folder / "x.nxs";
    const Bytes pixels = randomImages(7);
    const auto expectRefusal = [&](const char* sentence) {
        EXPECT_ERROR((void)openSource({path}, {}), InputError, sentence);
    };
    { Hdf5Writer(path).numbers("/other", {1, 2}); }
    expectRefusal("x.nxs is an HDF5 file without a tomographic scan that Gantry knows");

    writeNxTomo(path, pixels, {.chunk = {1, 7, 11}, .filter = 32004});
    expectRefusal(
        "x.nxs is compressed with lz4 (filter 32004 of HDF5), for which there is no "
        "plugin on this machine");

    const auto writeWith = [&](const std::vector<double>& keys, const std::vector<double>& angles,
                               const std::string& unit) {
        Hdf5Writer file(path);
        file.text("/entry/definition", "NXtomo");
        file.images("/entry/instrument/detector/data", kShape.type, {8, 7, 11}, pixels);
        file.numbers("/entry/instrument/detector/image_key", keys);
        file.numbers("/entry/sample/rotation_angle", angles, unit);
    };
    writeWith({0, 0, 1}, kAngles, "deg");
    expectRefusal("x.nxs contradicts itself: /entry/instrument/detector/image_key has 3 values");
    writeWith({0, 0, 1, 2, 0, 0, 0, 7}, kAngles, "deg");
    expectRefusal("holds 7 for image 7; keys are 0 or projection, 1 or flat field");
    writeWith({1, 1, 1, 2, 2, 1, 1, 1}, kAngles, "deg");
    expectRefusal("x.nxs holds no projections");
    writeWith(kKeys, {0, 1}, "deg");
    expectRefusal("x.nxs contradicts itself: sample/rotation_angle has 2 values");
    writeWith(kKeys, kAngles, "gon");
    expectRefusal("/entry/sample/rotation_angle is in \"gon\"; it must be in deg or rad");

    { Hdf5Writer(path).images("/exchange/data", kShape.type, {616}, pixels); }
    expectRefusal("x.nxs is not understood: /exchange/data has 1 dimensions");

    const Hdf5Writer::Storage half = {.isHalfFloat = true};
    {
        Hdf5Writer(path).images("/exchange/data", PixelType::float32, {2, 7, 11},
                                std::vector<std::byte>(2 * 7 * 11 * 4), half);
    }
    expectRefusal(
        "x.nxs is not understood: the pixels of /exchange/data are floats of 16 bits; integers of "
        "8, 16 or 32 bits and floats of 32 or 64 are read");
}

TEST(Hdf5Source, AFileThatIsBeingWrittenIsRefused) {
    const TemporaryFolder folder;
    const fs::path path = folder / "live.h5";
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ASSERT_GE(H5Fstart_swmr_write(file), 0);
    EXPECT_ERROR((void)openSource({path}, {}), InputError,
                 "live.h5 is still being written, or was not closed by the program that wrote it");
    H5Fclose(file);
    H5Pclose(access);
}

// Whatever bytes are wrong: views, or one sentence that names the file.
TEST(Hdf5Source, DamagedFilesEndInASentence) {
    const TemporaryFolder folder;
    const fs::path whole = folder / "whole.nxs";
    writeNxTomo(whole, randomImages(8), {.chunk = {2, 3, 5}, .gzip = 2});
    const Bytes good = readBytes(whole);
    const fs::path path = folder / "bad.nxs";
    std::mt19937 random(9);
    int sentences = 0;
    for (int turn = 0; turn < 150; ++turn) {
        Bytes bad = good;
        if (turn % 5 == 0)
            bad.resize(random() % bad.size());
        else
            for (int i = 0; i < 1 + turn % 7; ++i)
                bad[random() % bad.size()] = static_cast<std::byte>(random() & 0xff);
        writeBytes(path, bad);
        try {
            const auto source = openSource({path}, {});
            for (Index view = 0; view < source->info().views; ++view)
                (void)readView(*source, view, {0, source->info().rows});
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("bad.nxs"), std::string::npos) << error.what();
            ++sentences;
        }
    }
    EXPECT_GT(sentences, 30);
}

}  // namespace
}  // namespace gantry
