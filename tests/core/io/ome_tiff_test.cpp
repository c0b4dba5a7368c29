#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/open_sink.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::oddGrid;

TEST(OmeTiff, describesItsImagesAsOmeXml) {
    const test::TemporaryFolder folder;
    const std::vector<float> voxels = test::randomVoxels(oddGrid(), 3);
    const OutputFormat format{folder / "a & \"b\".ome.tif", PixelType::uint16, {{-0.02, 0.12}}};
    const auto sink = openSink(format, oddGrid(), SinkStart::fresh);
    test::writeSlices(*sink, voxels, oddGrid(), {0, oddGrid().voxels[2]});
    sink->finish();
    TiffReader reader(format.path);
    EXPECT_EQ(reader.images().size(), 11U);
    const std::string text = reader.description();
    EXPECT_TRUE(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://"
                         "www.openmicroscopy.org/Schemas/OME/2016-06\""));
    for (const char* part :
         {"Name=\"a &amp; &quot;b&quot;.ome.tif\"", "DimensionOrder=\"XYZCT\"", "Type=\"uint16\"",
          "SizeX=\"13\" SizeY=\"7\" SizeZ=\"11\" SizeC=\"1\" SizeT=\"1\"",
          "PhysicalSizeX=\"0.3\" PhysicalSizeXUnit=\"mm\"",
          "PhysicalSizeY=\"0.45\" PhysicalSizeYUnit=\"mm\"",
          "PhysicalSizeZ=\"1.1\" PhysicalSizeZUnit=\"mm\"",
          "<TiffData IFD=\"0\" FirstZ=\"0\" FirstC=\"0\" FirstT=\"0\" PlaneCount=\"11\"/>"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace gantry
