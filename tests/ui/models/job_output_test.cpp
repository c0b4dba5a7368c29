#include "ui/models/job/job_output.h"

#include <gtest/gtest.h>

#include "ui/models/text.h"

namespace gantry {
namespace {

TEST(JobOutput, APathIsFolderNameAndFormat) {
    for (const char* path :
         {"/data/walnut.mha", "/data/walnut.mhd", "/data/walnut.raw", "/data/walnut.tif",
          "/data/walnut.ome.zarr", "/data/Nuß 0.2 mm.mha", "/data/slices 0.2/"}) {
        const OutputPlace place = outputPlaceOf(path);
        EXPECT_EQ(outputPathOf(place), path);
        EXPECT_EQ(place.folder, "/data");
    }
    EXPECT_EQ(outputPlaceOf("/data/walnut.mha").name, "walnut");
    EXPECT_EQ(outputPlaceOf("/data/walnut.ome.zarr").name, "walnut");
    EXPECT_EQ(outputPlaceOf("/data/walnut.zarr/").format, VolumeFormat::zarr);
    EXPECT_EQ(outputPlaceOf("/data/slices").format, VolumeFormat::tiffFolder);
    EXPECT_EQ(outputPlaceOf("/data/slices 0.2/").name, "slices 0.2");
}

TEST(JobOutput, AnUnknownEndingIsPartOfTheName) {
    const OutputPlace place = outputPlaceOf("/data/walnut.v2");
    EXPECT_EQ(place.name, "walnut.v2");
    EXPECT_EQ(outputPathOf(place), "/data/walnut.v2.mha");
}

TEST(JobOutput, ATypedEndingChoosesTheFormat) {
    EXPECT_EQ(typedName(" walnut.TIF ").name, "walnut");
    EXPECT_EQ(typedName("walnut.TIF").format, VolumeFormat::bigTiff);
    EXPECT_EQ(typedName("walnut.ome.zarr").name, "walnut");
    EXPECT_EQ(typedName("walnut 0.2").name, "walnut 0.2");
    EXPECT_FALSE(typedName("walnut 0.2").format);
    EXPECT_EQ(typedName(".mha").name, ".mha");
}

TEST(JobOutput, SaysWhatNoFileCanBeCalled) {
    EXPECT_EQ(reasonAgainstName("it's \"walnut\" Nuß 胡桃"), "");
    for (const QString& name : {QString(), QString(".."), QString("a/b"), QString("a\nb"),
                                QString(300, 'x'), QString(100, QChar(0x80e1))})
        EXPECT_NE(reasonAgainstName(name), "") << name.toStdString();
}

}  // namespace
}  // namespace gantry
