// What HDF5 files state beside their images.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/io/open_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Hdf5Writer;
using test::TemporaryFolder;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// A dark and a flat frame and so many projections.
const std::vector<double> kStatedLevels = {100,   40100, 20100, 20100, 20100, 20100,
                                           20100, 20100, 20100, 20100, 20100, 20100};
const std::vector<double> kStatedKeys = {2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

class Hdf5Statements : public ::testing::Test {
  protected:
    // A scan of ten projections; `add` writes what else it states.
    StatedGeometry statedBy(const auto& add) {
        {
            Hdf5Writer file(m_path);
            test::writeNxFrames(file, kStatedLevels, kStatedKeys);
            add(file);
        }
        return statedGeometry({m_path}).value();
    }
    StatedGeometry withAngles(const std::vector<double>& angles, const char* unit) {
        return statedBy(
            [&](Hdf5Writer& file) { file.numbers("/entry/sample/rotation_angle", angles, unit); });
    }

    TemporaryFolder m_folder;
    fs::path m_path = m_folder / "scan.nxs";
};

std::vector<double> steps(double step, std::size_t fields) {
    std::vector<double> angles(fields, 0.0);
    for (int i = 0; i < 10; ++i)
        angles.push_back(i * step);
    return angles;
}

TEST_F(Hdf5Statements, AnglesWithoutAUnitThatSpanATurnInRadiansAreRadians) {
    for (const double arc : {std::numbers::pi, 2 * std::numbers::pi}) {
        const StatedGeometry stated = withAngles(steps(arc / 10, 2), "");
        EXPECT_NEAR(stated.anglesDeg.at(9), arc * 0.9 * 180 / std::numbers::pi, 1e-9);
        EXPECT_NE(stated.angleDoubt.find("without a unit, and is taken for radians"),
                  std::string::npos);
    }
    EXPECT_NEAR(withAngles(steps(std::numbers::pi / 9, 2), "").anglesDeg.at(9), 180, 1e-9);
    EXPECT_NEAR(withAngles(steps(18, 2), "").anglesDeg.at(9), 162, 1e-9);
    EXPECT_EQ(withAngles(steps(18, 2), "").angleDoubt, "");
    // A unit is believed, and doubted aloud.
    const StatedGeometry said = withAngles(steps(std::numbers::pi / 10, 2), "degree");
    EXPECT_NEAR(said.anglesDeg.at(9), 0.9 * std::numbers::pi, 1e-9);
    EXPECT_NE(said.angleDoubt.find("in radians it would be half or a whole turn"),
              std::string::npos);
}

TEST_F(Hdf5Statements, RadiansOfManyTurnsAreDegrees) {
    const StatedGeometry said = withAngles(steps(18, 2), "rad");
    EXPECT_NEAR(said.anglesDeg.at(9), 162, 1e-9);
    EXPECT_NE(said.angleDoubt.find("/entry/sample/rotation_angle goes from 0 to 162, and its "
                                   "attribute units says \"rad\", which would be 26 turns: it is "
                                   "taken for degrees. Correct the attribute"),
              std::string::npos)
        << said.angleDoubt;
    const StatedGeometry right = withAngles(steps(std::numbers::pi / 5, 2), "rad");
    EXPECT_NEAR(right.anglesDeg.at(9), 324, 1e-9);
    EXPECT_EQ(right.angleDoubt, "");
}

TEST_F(Hdf5Statements, AnglesAreReadInOtherPlacesAndAsTexts) {
    const StatedGeometry beside = statedBy(
        [](Hdf5Writer& file) { file.numbers("/entry/data/rotation_angle", steps(18, 2), "deg"); });
    EXPECT_NEAR(beside.anglesDeg.at(9), 162, 1e-9);
    // A list of another length is something else.
    EXPECT_TRUE(statedBy([](Hdf5Writer& file) {
                    file.numbers("/entry/data/rotation_angle", steps(18, 1), "deg");
                }).anglesDeg.empty());
    std::vector<std::string> texts;
    for (const double angle : steps(18.5, 0))
        texts.push_back(std::to_string(angle));
    EXPECT_NEAR(statedBy([&](Hdf5Writer& file) {
                    file.texts("/entry/sample/rotation_angle", texts);
                }).anglesDeg.at(9),
                166.5, 1e-9);
    texts[3] = "home";
    EXPECT_ERROR((void)statedBy(
                     [&](Hdf5Writer& file) { file.texts("/entry/sample/rotation_angle", texts); }),
                 InputError, "rotation_angle holds \"home\", which is no angle");
    {
        Hdf5Writer file(m_folder / "angles.h5");
        test::writeFrames(file, "/exchange/data", {100, 100, 100});
        file.numbers("/exchange/angles", {0, 120, 240});
    }
    EXPECT_EQ(statedGeometry({m_folder / "angles.h5"}).value().anglesDeg,
              (std::vector<double>{0, 120, 240}));
}

TEST_F(Hdf5Statements, PixelsThatNoDetectorHasAreDoubted) {
    const auto withPixels = [&](double size, const char* unit) {
        return statedBy([&](Hdf5Writer& file) {
            file.numbers("/entry/instrument/detector/x_pixel_size", {size}, unit);
        });
    };
    const StatedGeometry metres = withPixels(0.6, "m");
    EXPECT_NEAR((*metres.pitchMm)[0], 600, 1e-9);
    EXPECT_NE(metres.pitchDoubt.find("x_pixel_size makes pixels of 600 mm, of which no detector "
                                     "is: its unit, \"m\", may be wrong"),
              std::string::npos)
        << metres.pitchDoubt;
    EXPECT_NE(withPixels(9, "nm").pitchDoubt, "");
    EXPECT_EQ(withPixels(11, "nm").pitchDoubt, "");
    for (const auto& [unit, mm] :
         {std::pair("millimetre", 1.0), std::pair("Millimeters", 1.0), std::pair("metres", 1e3),
          std::pair("micrometre", 1e-3), std::pair("micrometres", 1e-3), std::pair("inch", 25.4),
          std::pair("inches", 25.4), std::pair("nanometres", 1e-6), std::pair("cm", 10.0)}) {
        const StatedGeometry stated = withPixels(0.0625 / mm, unit);
        EXPECT_NEAR((*stated.pitchMm)[0], 0.0625, 1e-12) << unit;
        EXPECT_EQ(stated.pitchDoubt, "") << unit;
    }
}

TEST_F(Hdf5Statements, AnglesThatAreAllTheSameAreNotStored) {
    const StatedGeometry stated = withAngles(std::vector<double>(12, 0.0), "degree");
    EXPECT_TRUE(stated.anglesDeg.empty());
    EXPECT_NE(stated.angleDoubt.find("are 0, as where none are stored"), std::string::npos);
    EXPECT_EQ(openSource({m_path}, {})->info().views, 10);
}

TEST_F(Hdf5Statements, AnglesOfDarkAndFlatFramesDoNotMatter) {
    std::vector<double> angles = steps(18, 2);
    angles[0] = angles[1] = kNoNumber;
    EXPECT_NEAR(withAngles(angles, "deg").anglesDeg.at(9), 162, 1e-9);
    EXPECT_NEAR(withAngles(steps(18, 0), "deg").anglesDeg.at(9), 162, 1e-9);
    angles[5] = kNoNumber;
    EXPECT_ERROR((void)withAngles(angles, "deg"), InputError, "rotation_angle holds what is no");
    EXPECT_ERROR((void)withAngles(steps(18, 1), "deg"), InputError,
                 "sample/rotation_angle has 11 values, /entry/instrument/detector/data has 12 "
                 "images, of which 10 are projections");
}

TEST_F(Hdf5Statements, AxisFlipsAndHalfFieldAreTold) {
    const StatedGeometry stated = statedBy([](Hdf5Writer& file) {
        const std::string detector = "/entry/instrument/detector/";
        file.numbers(detector + "x_rotation_axis_pixel_position", {4.5});
        file.flag(detector + "x_flipped", true);
        file.flag(detector + "y_flipped", false);
        file.text(detector + "field_of_view", "Half");
        file.numbers(detector + "x_pixel_size", {6.5});
    });
    EXPECT_EQ(stated.axis.value().number, 4.5);
    EXPECT_EQ(stated.isMirrored, true);
    EXPECT_EQ(stated.firstRowIsTop, true);
    EXPECT_TRUE(stated.isHalfField);
    EXPECT_NEAR((*stated.pitchMm)[0], 0.0065, 1e-12);
    EXPECT_NE(stated.pitchDoubt.find("taken for µm"), std::string::npos);
}

// Some programs write the axis of each frame.
TEST_F(Hdf5Statements, AListOfAxesIsTheirMedianAndAMovingAxisIsTold) {
    const auto withAxes = [&](const std::vector<double>& columns, const char* unit) {
        return statedBy([&](Hdf5Writer& file) {
            file.numbers("/entry/instrument/detector/x_pixel_size", {0.1}, "mm");
            file.numbers("/entry/instrument/detector/x_rotation_axis_pixel_position", columns,
                         unit);
        });
    };
    std::vector<double> columns(12, 4.5);
    columns[0] = kNoNumber;  // a dark frame
    const StatedGeometry still = withAxes(columns, "");
    EXPECT_EQ(still.axis.value().number, 4.5);
    EXPECT_TRUE(still.remarks.empty());
    for (std::size_t i = 2; i < 12; ++i)
        columns[i] = 4 + 0.1 * static_cast<double>(i);
    columns[0] = 900;
    const StatedGeometry moving = withAxes(columns, "");
    EXPECT_NEAR(moving.axis.value().number, 4.7, 0.051);
    ASSERT_EQ(moving.remarks.size(), 1U);
    EXPECT_TRUE(moving.remarks[0].isUnused);
    EXPECT_EQ(moving.remarks[0].field, "detector.offsetMm[0]");
    EXPECT_NE(moving.remarks[0].sentence.find("has 10 values, from 4.2 to 5.1: the axis moves"),
              std::string::npos)
        << moving.remarks[0].sentence;
    // In mm, pixels of 0.1 mm make nine columns of it.
    EXPECT_EQ(withAxes(columns, "mm").remarks.size(), 1U);
    EXPECT_EQ(withAxes(columns, "um").remarks.size(), 0U);
    EXPECT_FALSE(withAxes(std::vector<double>(12, kNoNumber), "").axis);
    // Neither one a frame nor one a projection.
    EXPECT_EQ(withAxes({4.5, 4.6, 4.5}, "").axis.value().number, 4.5);
}

TEST_F(Hdf5Statements, APixelSizeAlongVAloneIsThatOfSquarePixels) {
    const StatedGeometry stated = statedBy([](Hdf5Writer& file) {
        file.numbers("/entry/instrument/detector/y_pixel_size", {0.2}, "mm");
    });
    ASSERT_TRUE(stated.pitchMm);
    EXPECT_NEAR((*stated.pitchMm)[0], 0.2, 1e-12);
    EXPECT_NEAR((*stated.pitchMm)[1], 0.2, 1e-12);
}

TEST_F(Hdf5Statements, FlipsAmongTransformationsAreQuoted) {
    const auto withTurn = [&](double degrees, bool isFlagged) {
        return statedBy([&](Hdf5Writer& file) {
            const std::string detector = "/entry/instrument/detector/";
            file.numbers(detector + "transformations/ry", {degrees}, "degree");
            file.attribute(detector + "transformations/ry", "transformation_type", "rotation");
            file.numbers(detector + "transformations/tx", {3}, "mm");
            file.attribute(detector + "transformations/tx", "transformation_type", "translation");
            if (isFlagged) file.flag(detector + "x_flipped", true);
        });
    };
    const StatedGeometry stated = withTurn(180, false);
    ASSERT_EQ(stated.remarks.size(), 1U);
    EXPECT_TRUE(stated.remarks[0].isUnused);
    EXPECT_EQ(stated.remarks[0].field, "detector.mirrored");
    EXPECT_NE(
        stated.remarks[0].sentence.find("detector/transformations/ry states that the detector "
                                        "is turned by 180°"),
        std::string::npos)
        << stated.remarks[0].sentence;
    EXPECT_TRUE(withTurn(0, false).remarks.empty());
    EXPECT_TRUE(withTurn(180, true).remarks.empty()) << "it is stated by a field of its own";
}

TEST_F(Hdf5Statements, ThePixelBehindALensIsQuotedOrTaken) {
    const std::string instrument = "/measurement/instrument/";
    const auto exchange = [&](bool hasSensor, double micrometres) {
        {
            Hdf5Writer file(m_folder / "lens.h5");
            test::writeFrames(file, "/exchange/data", {100, 100, 100});
            if (hasSensor) file.numbers(instrument + "detector/pixel_size_x", {6.5}, "um");
            file.numbers(instrument + "detection_system/objective/resolution", {micrometres});
        }
        return statedGeometry({m_folder / "lens.h5"}).value();
    };
    const StatedGeometry both = exchange(true, 0.65);
    EXPECT_NEAR((*both.pitchMm)[0], 0.0065, 1e-9);
    ASSERT_EQ(both.remarks.size(), 1U);
    EXPECT_EQ(both.remarks[0].field, "detector.pitchMm");
    EXPECT_TRUE(both.remarks[0].isUnused);
    EXPECT_NE(both.remarks[0].sentence.find("objective/resolution states 0.00065 mm"),
              std::string::npos)
        << both.remarks[0].sentence;
    EXPECT_TRUE(exchange(true, 6.5).remarks.empty());
    const StatedGeometry alone = exchange(false, 0.65);
    EXPECT_NEAR((*alone.pitchMm)[0], 0.00065, 1e-9);
    EXPECT_TRUE(alone.remarks.empty());
}

TEST_F(Hdf5Statements, APixelSizeAlongVWithoutAUnitIsDoubtedToo) {
    const StatedGeometry stated = statedBy([](Hdf5Writer& file) {
        file.numbers("/entry/instrument/detector/x_pixel_size", {6.5}, "um");
        file.numbers("/entry/instrument/detector/y_pixel_size", {13});
    });
    EXPECT_NEAR((*stated.pitchMm)[1], 0.013, 1e-12);
    EXPECT_NE(stated.pitchDoubt.find("y_pixel_size has no unit"), std::string::npos)
        << stated.pitchDoubt;
}

TEST_F(Hdf5Statements, ShiftsOfViewsAreQuotedAsNotUsed) {
    const StatedGeometry stated = statedBy([](Hdf5Writer& file) {
        file.numbers("/entry/instrument/detector/x_pixel_size", {0.6}, "mm");
        std::vector<double> shifts(12, 0.0);
        shifts[4] = 1.8;
        file.numbers("/entry/sample/x_translation", shifts, "mm");
        file.numbers("/entry/sample/y_translation", std::vector<double>(12, 7.0), "mm");
    });
    ASSERT_EQ(stated.remarks.size(), 1U);
    EXPECT_EQ(stated.remarks[0].field, "detector.offsetMm[0]");
    EXPECT_TRUE(stated.remarks[0].isUnused);
    EXPECT_NE(stated.remarks[0].sentence.find("by up to 1.8 mm, which are 3 pixels"),
              std::string::npos);
    {
        Hdf5Writer file(m_folder / "shifted.h5");
        test::writeFrames(file, "/exchange/data", {100, 100, 100});
        file.numbers("/exchange/theta", {0, 60, 120});
        file.numbers("/exchange/data_shift_y", {0, 1, 2});
    }
    const StatedGeometry exchange = statedGeometry({m_folder / "shifted.h5"}).value();
    ASSERT_EQ(exchange.remarks.size(), 1U);
    EXPECT_EQ(exchange.remarks[0].field, "detector.offsetMm[1]");
    EXPECT_EQ(openSource({m_folder / "shifted.h5"}, {})->info().notes.size(), 1U);
}

TEST_F(Hdf5Statements, ABeamMonitorIsGivenToViewsAndFlatFrames) {
    std::vector<double> beam = {0, 10, 10, 9, 9, 9, 9, 9, 9, 9, 9, 8};
    const auto monitor = [&](Hdf5Writer& file) { file.numbers("/entry/control/data", beam); };
    const StatedGeometry stated = statedBy(monitor);
    ASSERT_EQ(stated.remarks.size(), 1U);
    EXPECT_FALSE(stated.remarks[0].isUnused);
    const SourceInfo views = openSource({m_path}, {})->info();
    EXPECT_EQ(views.monitor, std::vector<double>(beam.begin() + 2, beam.end()));
    EXPECT_EQ(openSource({m_path}, {.frames = FrameKind::flat})->info().monitor,
              std::vector<double>{10});
    beam.resize(10);
    EXPECT_NE(statedBy(monitor).remarks.at(0).sentence.find("it has 10 values, where there are 12"),
              std::string::npos);
    beam.resize(12, 8);
    beam[6] = 0;
    EXPECT_TRUE(statedBy(monitor).remarks.at(0).isUnused);
    EXPECT_TRUE(openSource({m_path}, {})->info().monitor.empty());
}

TEST_F(Hdf5Statements, FlatFramesMayBeAloneInAFile) {
    const std::vector<double> levels = {40100, 40200};
    {
        Hdf5Writer file(m_folder / "keyed.nxs");
        test::writeNxFrames(file, levels, {1, 1});
        file.numbers("/entry/sample/rotation_angle", {0, 0}, "deg");
    }
    { Hdf5Writer(m_folder / "white.h5").text("/note", "to be replaced"); }
    {
        Hdf5Writer file(m_folder / "white.h5");
        test::writeFrames(file, "/exchange/data_white", levels);
    }
    {
        Hdf5Writer file(m_folder / "plain.h5");
        test::writeFrames(file, "/entry/instrument/detector/data", levels);
    }
    {
        Hdf5Writer file(m_folder / "two.h5");
        test::writeFrames(file, "/a", levels);
        test::writeFrames(file, "/b", levels);
    }
    for (const char* name : {"keyed.nxs", "white.h5", "plain.h5"})
        EXPECT_EQ(openSource({m_folder / name}, {.frames = FrameKind::flat})->info().views, 2)
            << name;
    EXPECT_EQ(openSource({m_folder / "plain.h5"}, {.frames = FrameKind::dark})->info().views, 2);
    EXPECT_ERROR((void)openSource({m_folder / "keyed.nxs"}, {}), InputError,
                 "keyed.nxs holds no projections: none of /entry/instrument/detector/image_key is "
                 "0");
    EXPECT_ERROR((void)openSource({m_folder / "keyed.nxs"}, {.frames = FrameKind::dark}),
                 InputError, "keyed.nxs holds no dark frames");
    EXPECT_ERROR((void)openSource({m_folder / "plain.h5"}, {}), InputError,
                 "plain.h5 is an HDF5 file without a tomographic scan");
    EXPECT_ERROR((void)openSource({m_folder / "two.h5"}, {.frames = FrameKind::flat}), InputError,
                 "two.h5 is an HDF5 file without a tomographic scan");
}

TEST_F(Hdf5Statements, AMissingFilterBehindAVirtualDatasetIsNamed) {
    const std::vector<std::uint16_t> pixels = test::pixelsOf(kStatedLevels);
    const std::vector<hsize_t> sizes = {12, 9, 12};
    {
        Hdf5Writer(m_folder / "part.h5")
            .images("/data", PixelType::uint16, sizes, std::as_bytes(std::span(pixels)),
                    {.chunk = {1, 9, 12}, .filter = 32008});
    }
    {
        Hdf5Writer file(m_path);
        file.text("/entry/definition", "NXtomo");
        file.numbers("/entry/instrument/detector/image_key", kStatedKeys);
        const hid_t space = H5Screate_simple(3, sizes.data(), nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_virtual(creation, space, "part.h5", "/data", space);
        H5Dclose(H5Dcreate2(file.file(), "/entry/instrument/detector/data", H5T_STD_U16LE, space,
                            file.onTheWay(), creation, H5P_DEFAULT));
        H5Pclose(creation);
        H5Sclose(space);
    }
    EXPECT_ERROR((void)openSource({m_path}, {}), InputError,
                 "part.h5 is compressed with bitshuffle (filter 32008 of HDF5), for which there "
                 "is no plugin on this machine");
}

}  // namespace
}  // namespace gantry
