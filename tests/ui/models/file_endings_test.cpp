#include "ui/models/file_endings.h"

#include <gtest/gtest.h>

#include <QStringList>

#include "core/describe/description_format.h"
#include "core/io/projection_format.h"
#include "core/io/volume/volume_format.h"

namespace gantry {
namespace {

void expectAll(const QString& shown, const std::vector<std::string_view>& endings) {
    const QStringList patterns = shown.split(' ');
    for (const std::string_view ending : endings)
        EXPECT_EQ(patterns.count("*" + QString::fromStdString(std::string(ending))), 1)
            << ending << " in " << shown.toStdString();
}

TEST(FileEndings, OfVolumesAreThoseOfAllFormats) {
    for (const VolumeFileFormat& format : volumeFormats())
        if (!format.isFolder) expectAll(endingsOfVolumes(), format.extensions);
    expectAll(endingsOfVolumes(), {".nrrd", ".nii", ".vgi", ".h5"});
}

TEST(FileEndings, OfProjectionsAreThoseOfAllFormats) {
    for (const ProjectionFormat& format : projectionFormats())
        expectAll(endingsOfProjections(), format.extensions);
    expectAll(endingsOfProjections(), {".mhd", ".mha", ".raw", ".tif", ".nxs", ".his", ".hnd"});
}

TEST(FileEndings, ScansOfAllMakersAreOpenedBesideImagesAndVolumes) {
    for (const DescriptionFormat& format : descriptionFormats())
        if (format.read) expectAll(endingsToOpen(), format.extensions);
    expectAll(endingsToOpen(),
              {".json", ".xtekct", ".pca", ".xml", ".nxs", ".xrm", ".tif", ".nii"});
}

TEST(FileEndings, AGeometryIsChosenByItsProgram) {
    const QStringList kinds = geometryFilter().split(";;");
    EXPECT_TRUE(kinds.front().startsWith("Geometry files (*.json "));
    for (const char* kind :
         {"RTK geometry (*.xml)", "ASTRA vectors (*.txt *.vec)", "LEAP parameters (*.txt *.cfg)",
          "TIGRE geometry (*.mat)", "Calibrated poses (*.csv)"})
        EXPECT_TRUE(kinds.contains(kind)) << geometryFilter().toStdString();
    EXPECT_EQ(kinds.back(), "All files (*)");
}

}  // namespace
}  // namespace gantry
