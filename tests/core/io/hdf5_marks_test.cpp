// How HDF5 files mark what their frames and pixels are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/io/open_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Hdf5Writer;
using test::kFrameColumns;
using test::kFrameRows;
using test::TemporaryFolder;

// A dark frame, two flat ones and four projections.
const std::vector<double> kMarkedLevels = {100, 40100, 40100, 20100, 20100, 20100, 20100};
const std::vector<double> kMarkedKeys = {2, 1, 1, 0, 0, 0, 0};

class Hdf5Marks : public ::testing::Test {
  protected:
    // A scan of four projections; `add` writes what else it states.
    StatedGeometry statedBy(const auto& add) {
        {
            Hdf5Writer file(m_path);
            test::writeNxFrames(file, kMarkedLevels, kMarkedKeys);
            add(file);
        }
        return statedGeometry({m_path}).value();
    }
    Index viewsOf(FrameKind kind) { return openSource({m_path}, {.frames = kind})->info().views; }
    void writeTextKeys(const std::vector<std::string>& keys) {
        Hdf5Writer file(m_path);
        file.text("/entry/definition", "NXtomo");
        test::writeFrames(file, "/entry/instrument/detector/data", kMarkedLevels);
        file.texts("/entry/instrument/detector/image_key", keys);
    }

    TemporaryFolder m_folder;
    fs::path m_path = m_folder / "scan.nxs";
};

const StatedRemark* remarkOn(const StatedGeometry& stated, const char* field) {
    const auto found = std::ranges::find(stated.remarks, field, &StatedRemark::field);
    return found == stated.remarks.end() ? nullptr : &*found;
}

TEST_F(Hdf5Marks, KeysMayBeTexts) {
    const std::vector<std::vector<std::string>> lists = {
        {"2", "1", "1", "0", "0", "0", "-1"},
        {"dark_field", "Flat field", "flat", "projection", "Projection", "projection", "invalid"}};
    for (const std::vector<std::string>& keys : lists) {
        writeTextKeys(keys);
        EXPECT_EQ(viewsOf(FrameKind::dark), 1);
        EXPECT_EQ(viewsOf(FrameKind::flat), 2);
        EXPECT_EQ(viewsOf(FrameKind::projections), 3);
    }
    writeTextKeys({"2", "1", "1", "0", "0", "0", "sky"});
    EXPECT_ERROR((void)openSource({m_path}, {}), InputError,
                 "image_key holds \"sky\" for image 6; keys are 0 or projection");
    writeTextKeys({"2", "1", "1", "0"});
    EXPECT_ERROR((void)openSource({m_path}, {}), InputError, "image_key has 4 values, ");
}

// Frames of a detector row that a wedge casts its image on, if it is there: the transmission goes
// from 1 to a tenth.
std::vector<std::uint16_t> wedgeFrames(const std::vector<double>& beams,
                                       const std::vector<bool>& hasWedge) {
    std::mt19937 random(7);
    std::vector<std::uint16_t> pixels;
    for (std::size_t i = 0; i < beams.size(); ++i)
        for (Index p = 0; p < kFrameRows * kFrameColumns; ++p) {
            const double part = static_cast<double>(p % kFrameColumns) / kFrameColumns;
            const double mean = beams[i] * (hasWedge[i] ? std::pow(0.1, part) : 1.0);
            // Photons are counted with the noise of Poisson's law.
            pixels.push_back(static_cast<std::uint16_t>(
                std::max(0.0, std::normal_distribution(mean, std::sqrt(mean))(random))));
        }
    return pixels;
}

StatedGeometry statedByWedge(const fs::path& path, const std::vector<double>& beams,
                             const std::vector<bool>& hasWedge, const std::vector<double>& keys) {
    {
        const std::vector<std::uint16_t> pixels = wedgeFrames(beams, hasWedge);
        Hdf5Writer file(path);
        file.text("/entry/definition", "NXtomo");
        file.images("/entry/instrument/detector/data", PixelType::uint16,
                    {beams.size(), kFrameRows, kFrameColumns}, std::as_bytes(std::span(pixels)));
        file.numbers("/entry/instrument/detector/image_key", keys);
    }
    return statedGeometry({path}).value();
}

TEST_F(Hdf5Marks, AProjectionThatIsMarkedAsFlatIsLeftOut) {
    const std::vector<double> beams(8, 20000);
    const std::vector<double> keys = {1, 1, 0, 0, 1, 0, 0, 0};
    const StatedGeometry wrong =
        statedByWedge(m_path, beams, {false, false, true, true, true, true, true, true}, keys);
    const StatedRemark* const told = remarkOn(wrong, "projections.flat");
    ASSERT_NE(told, nullptr);
    EXPECT_TRUE(told->isUnused);
    EXPECT_NE(told->sentence.find("Image 4 of /entry/instrument/detector/data is marked as a flat"),
              std::string::npos)
        << told->sentence;
    EXPECT_NE(told->sentence.find("it is left out"), std::string::npos);
    EXPECT_EQ(openSource({m_path}, {.frames = FrameKind::flat})->info().projectionsBefore,
              (std::vector<Index>{0, 0}));
    EXPECT_EQ(viewsOf(FrameKind::flat), 2);
    EXPECT_EQ(viewsOf(FrameKind::projections), 5);
    // A flat frame amid the projections is none, also where the beam is weaker by then, or where
    // the projections show next to nothing.
    std::vector<double> falling = beams;
    std::ranges::fill(falling.begin() + 3, falling.end(), 15000);
    EXPECT_TRUE(
        statedByWedge(m_path, falling, {false, false, true, true, false, true, true, true}, keys)
            .remarks.empty());
    EXPECT_EQ(viewsOf(FrameKind::flat), 3);
    EXPECT_TRUE(statedByWedge(m_path, falling, std::vector<bool>(8, false), keys).remarks.empty());
    EXPECT_EQ(viewsOf(FrameKind::flat), 3);
}

TEST_F(Hdf5Marks, AMaskOfBadPixelsIsUsed) {
    constexpr Index kPixels = kFrameRows * kFrameColumns;
    std::vector<double> mask(kPixels, 0.0);
    mask[17] = 1;
    mask[40] = 1 << 6;
    const auto withMask = [&](std::vector<hsize_t> sizes) {
        return statedBy([&](Hdf5Writer& file) {
            file.images("/entry/instrument/detector/pixel_mask", PixelType::float64, sizes,
                        std::as_bytes(std::span(mask)));
        });
    };
    const StatedGeometry stated = withMask({kFrameRows, kFrameColumns});
    EXPECT_TRUE(stated.hasBadPixels);
    EXPECT_NE(remarkOn(stated, "projections.badPixels")
                  ->sentence.find("pixel_mask has 2 of 108 pixels that are not usable"),
              std::string::npos);
    std::vector<std::byte> read(kPixels * sizeof(double));
    openSource({m_path}, {.firstRowIsTop = false, .frames = FrameKind::badPixels})
        ->readRows(0, {0, kFrameRows}, read);
    EXPECT_TRUE(std::ranges::equal(read, std::as_bytes(std::span(mask))));
    // One of another size cannot be used; one that is 0 everywhere says nothing, and one that is 0
    // almost nowhere is meant the other way round.
    const StatedGeometry swapped = withMask({kFrameColumns, kFrameRows});
    EXPECT_FALSE(swapped.hasBadPixels);
    ASSERT_NE(remarkOn(swapped, "projections.badPixels"), nullptr);
    EXPECT_NE(remarkOn(swapped, "projections.badPixels")
                  ->sentence.find("it has 9 × 12 pixels, and the detector has 12 × 9"),
              std::string::npos);
    std::ranges::fill(mask, 0.0);
    EXPECT_TRUE(withMask({kFrameRows, kFrameColumns}).remarks.empty());
    std::ranges::fill(mask, 1.0);
    mask[3] = 0;
    const StatedGeometry inverted = withMask({kFrameRows, kFrameColumns});
    EXPECT_FALSE(inverted.hasBadPixels);
    EXPECT_TRUE(remarkOn(inverted, "projections.badPixels")->isUnused);
}

TEST_F(Hdf5Marks, FlatFramesFromBeforeAndAfterMayBeInTwoDatasets) {
    const fs::path path = m_folder / "aps.h5";
    {
        Hdf5Writer file(path);
        test::writeFrames(file, "/exchange/data", {20000, 20000, 20000});
        test::writeFrames(file, "/exchange/data_white_pre", {41000, 42000});
        test::writeFrames(file, "/exchange/data_white_post", {31000});
        test::writeFrames(file, "/exchange/data_dark_post", {90});
        test::writeFrames(file, "/exchange/data_flat", {50000});
    }
    const auto flat = openSource({path}, {.firstRowIsTop = false, .frames = FrameKind::flat});
    EXPECT_EQ(flat->info().projectionsBefore, (std::vector<Index>{0, 0, 3}));
    std::vector<std::uint16_t> row(kFrameColumns);
    for (const auto& [view, level] :
         {std::pair(0, 41000), std::pair(1, 42000), std::pair(2, 31000)}) {
        flat->readRows(view, {4, 5}, std::as_writable_bytes(std::span(row)));
        EXPECT_EQ(row[0], level);
    }
    EXPECT_TRUE(flat->viewName(2).ends_with("image 0 of /exchange/data_white_post"));
    EXPECT_EQ(openSource({path}, {.frames = FrameKind::dark})->info().projectionsBefore,
              (std::vector<Index>{3}));
    const StatedGeometry stated = statedGeometry({path}).value();
    EXPECT_TRUE(stated.hasFlat);
    EXPECT_TRUE(stated.hasDark);
    ASSERT_NE(remarkOn(stated, "projections.flat"), nullptr);
    EXPECT_NE(
        remarkOn(stated, "projections.flat")->sentence.find("/exchange/data_flat is not used"),
        std::string::npos);
}

TEST_F(Hdf5Marks, FramesOfAnotherSizeAreRefusedByName) {
    const fs::path path = m_folder / "sizes.h5";
    const auto withFlats = [&](const std::vector<hsize_t>& sizes) {
        const std::vector<std::uint16_t> pixels(sizes[0] * sizes[1] * sizes[2], 40000);
        Hdf5Writer file(path);
        test::writeFrames(file, "/exchange/data", {20000, 20000});
        file.images("/exchange/data_white", PixelType::uint16, sizes,
                    std::as_bytes(std::span(pixels)));
    };
    withFlats({5, 7, kFrameColumns});
    EXPECT_ERROR((void)openSource({path}, {.frames = FrameKind::flat}), InputError,
                 "of the flat frames, /exchange/data_white has 5 images of 12 × 7 pixels; of the "
                 "projections, /exchange/data has 2 images of 12 × 9 pixels");
    withFlats({kFrameRows, 5, kFrameColumns});
    EXPECT_ERROR((void)openSource({path}, {.frames = FrameKind::flat}), InputError,
                 "The first two dimensions seem to be swapped");
    EXPECT_EQ(openSource({path}, {})->info().views, 2);
}

TEST_F(Hdf5Marks, OtherScansOfAFileAreNamed) {
    const auto withSecond = [](Hdf5Writer& file) {
        file.text("/entry2/definition", "NXtomo");
        test::writeFrames(file, "/entry2/instrument/detector/data", {1, 2, 3});
    };
    const StatedGeometry two = statedBy(withSecond);
    ASSERT_NE(remarkOn(two, "projections.files"), nullptr);
    EXPECT_NE(remarkOn(two, "projections.files")
                  ->sentence.find("holds 2 scans, of which /entry is taken; the others are "
                                  "/entry2"),
              std::string::npos);
    EXPECT_TRUE(statedBy([&](Hdf5Writer& file) {
                    withSecond(file);
                    file.attribute("/", "default", "entry");
                }).remarks.empty());
    // The same scan by another name is no other one.
    EXPECT_TRUE(statedBy([](Hdf5Writer& file) {
                    H5Lcreate_soft("/entry", file.file(), "/tomo", H5P_DEFAULT, H5P_DEFAULT);
                }).remarks.empty());
}

TEST_F(Hdf5Marks, AScaleOfPixelsIsQuoted) {
    const auto scaled = [](Hdf5Writer& file) {
        file.attribute("/entry/instrument/detector/data", "scale_factor", 0.5);
        file.attribute("/entry/instrument/detector/data", "add_offset", 0.0);
    };
    // Dark and flat frames of the same dataset have the same scale.
    const StatedGeometry stated = statedBy(scaled);
    ASSERT_NE(remarkOn(stated, "projections.kind"), nullptr);
    EXPECT_FALSE(remarkOn(stated, "projections.kind")->isUnused);
    const fs::path path = m_folder / "scaled.h5";
    {
        Hdf5Writer file(path);
        test::writeFrames(file, "/exchange/data", {200, 200});
        test::writeFrames(file, "/exchange/data_white", {400});
        file.attribute("/exchange/data", "scale_factor", 0.5);
    }
    const StatedGeometry apart = statedGeometry({path}).value();
    ASSERT_NE(remarkOn(apart, "projections.kind"), nullptr);
    EXPECT_TRUE(remarkOn(apart, "projections.kind")->isUnused);
    EXPECT_NE(remarkOn(apart, "projections.kind")->sentence.find("@scale_factor = 0.5"),
              std::string::npos);
}

TEST_F(Hdf5Marks, FlipsMayBeTexts) {
    const StatedGeometry stated = statedBy([](Hdf5Writer& file) {
        file.text("/entry/instrument/detector/x_flipped", "True");
        file.text("/entry/instrument/detector/y_flipped", "false");
    });
    EXPECT_EQ(stated.isMirrored, true);
    EXPECT_EQ(stated.firstRowIsTop, true);
}

TEST_F(Hdf5Marks, RawFilesOfPixelsAreFoundBesideTheFile) {
    const std::vector<std::uint16_t> pixels = test::pixelsOf(kMarkedLevels);
    const hsize_t bytes = pixels.size() * sizeof(std::uint16_t);
    const auto withRaw = [&](const char* name) {
        Hdf5Writer file(m_path);
        file.text("/entry/definition", "NXtomo");
        file.numbers("/entry/instrument/detector/image_key", kMarkedKeys);
        const std::vector<hsize_t> sizes = {kMarkedLevels.size(), kFrameRows, kFrameColumns};
        const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(creation, name, 0, bytes);
        H5Dclose(H5Dcreate2(file.file(), "/entry/instrument/detector/data", H5T_STD_U16LE, space,
                            file.onTheWay(), creation, H5P_DEFAULT));
        H5Pclose(creation);
        H5Sclose(space);
    };
    withRaw("/another/machine/frames.raw");
    EXPECT_ERROR((void)openSource({m_path}, {}), InputError,
                 "in another file, which is missing: /another/machine/frames.raw");
    withRaw("frames.raw");
    const auto write = [&](hsize_t size) {
        std::ofstream(m_folder / "frames.raw", std::ios::binary)
            .write(reinterpret_cast<const char*>(pixels.data()),
                   static_cast<std::streamsize>(size));
    };
    write(bytes - 2);
    EXPECT_ERROR((void)openSource({m_path}, {}), InputError,
                 "frames.raw, which is cut off: it has 1510 bytes of 1512");
    write(bytes);
    const auto views = openSource({m_path}, {.firstRowIsTop = false});
    std::vector<std::uint16_t> frame(kFrameRows * kFrameColumns);
    views->readRows(1, {0, kFrameRows}, std::as_writable_bytes(std::span(frame)));
    EXPECT_TRUE(
        std::equal(frame.begin(), frame.end(), pixels.begin() + 4 * kFrameRows * kFrameColumns));
    EXPECT_EQ(openSource({m_path}, {.frames = FrameKind::flat})->info().views, 2);
}

}  // namespace
}  // namespace gantry
