#include "core/io/tiff/tiff_statements.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/open_source.h"
#include "tests/core/io/image_files.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TiffTags withResolution(double perUnit, double unitMm, std::string description = {}) {
    TiffTags tags;
    tags.description = std::move(description);
    tags.resolution = {perUnit, perUnit};
    tags.unitMm = unitMm;
    return tags;
}

TEST(TiffStatements, PixelSizesComeFromResolutionsWithAUnit) {
    const auto pitch = [](const TiffTags& tags) {
        const auto stated = statedPitch(tags);
        return stated ? stated->mm[0] : 0;
    };
    EXPECT_DOUBLE_EQ(pitch(withResolution(200, 10)), 0.05);
    EXPECT_DOUBLE_EQ(pitch(withResolution(254, 25.4)), 0.1);
    EXPECT_EQ(pitch(withResolution(200, 0)), 0);
    EXPECT_EQ(pitch(withResolution(0, 10)), 0);
    for (const double dots : {72.0, 96.0, 300.0})
        EXPECT_EQ(pitch(withResolution(dots, 25.4)), 0) << dots;
    EXPECT_EQ(pitch(withResolution(72 / 2.54, 10)), 0);
    EXPECT_DOUBLE_EQ(pitch(withResolution(20, 0, "ImageJ=1.53t\nimages=2\nunit=mm\n")), 0.05);
    EXPECT_DOUBLE_EQ(pitch(withResolution(0.1, 0, "ImageJ=1.53t\nunit=micron\n")), 0.01);
    EXPECT_EQ(pitch(withResolution(20, 25.4, "ImageJ=1.53t\nunit=pixel\n")), 0);

    TiffTags ome;
    ome.description = R"(<?xml version="1.0"?><OME><Image><Pixels PhysicalSizeX="55" )"
                      R"(PhysicalSizeY="0.05" PhysicalSizeYUnit="mm" SizeZ="90"/></Image></OME>)";
    const auto stated = statedPitch(ome);
    ASSERT_TRUE(stated);
    EXPECT_DOUBLE_EQ(stated->mm[0], 0.055);
    EXPECT_DOUBLE_EQ(stated->mm[1], 0.05);
}

TEST(TiffStatements, StacksTellHowManyImagesTheyHave) {
    EXPECT_EQ(statedStackImages("ImageJ=1.53t\nimages=90\nslices=90\n", 4, 5), 90);
    EXPECT_EQ(statedStackImages(R"({"shape": [90, 4, 5], "truncated": true})", 4, 5), 90);
    for (const char* other : {"", "images=90", "ImageJ=1.53t\n", "ImageJ=1.53t\nimages=-3\n",
                              "ImageJ=1.53t\nimages=1e300\n", R"({"shape": [90, 4, 5]})",
                              R"({"shape": [90, 4, "x"], "truncated": true})",
                              R"({"shape": [9, 1], "truncated": true)"})
        EXPECT_EQ(statedStackImages(other, 4, 5), 1) << other;
}

TEST(TiffStatements, NotesNameTheWriterAndTheResolution) {
    const test::TemporaryFolder folder;
    test::ForeignTiff spec;
    spec.software = "Cam\x1b[31mera 3";
    spec.resolution = 200;
    spec.resolutionUnit = RESUNIT_CENTIMETER;
    test::writeTiff(folder / "a.tif", spec, test::randomPixels(spec.type, 37 * 23, 1));
    const std::string notes =
        fmt::format("{}", fmt::join(openSource({folder / "a.tif"}, {})->info().notes, "|"));
    EXPECT_NE(notes.find("as its origin: Cam"), std::string::npos) << notes;
    EXPECT_EQ(notes.find('\x1b'), std::string::npos);
    EXPECT_NE(notes.find("0.05 × 0.05 mm by the resolution tags"), std::string::npos) << notes;
    const auto stated = statedGeometry({folder / "a.tif"});
    ASSERT_TRUE(stated && stated->pitchMm);
    EXPECT_TRUE(stated->isPitchCandidate);

    TiffTags tags;
    tags.description = "ImageJ=1.53t\nimages=90\nchannels=2\nslices=45\n";
    EXPECT_NE(fmt::format("{}", fmt::join(tiffNotes(tags), "|")).find("2 channels of 45 slices"),
              std::string::npos);
}

}  // namespace
}  // namespace gantry
