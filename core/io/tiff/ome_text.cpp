#include "core/io/tiff/ome_text.h"

#include <fmt/format.h>

#include "core/base/xml_text.h"
#include "core/io/pixel_type.h"

namespace gantry {

namespace {

constexpr std::string_view kOpening = "<Description>";
constexpr std::string_view kClosing = "</Description>";

}  // namespace

std::string omeText(const VolumeDescription& description, const std::string& name) {
    const auto& [voxels, pitch, center] = description.grid;
    const PixelType type = description.encoding.type;
    const std::string_view typeName = type == PixelType::float32 ? "float" : gantry::name(type);
    return fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?>)"
        R"(<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" )"
        R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
        R"(xsi:schemaLocation="http://www.openmicroscopy.org/Schemas/OME/2016-06 )"
        R"(http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd" Creator="Gantry">)"
        R"(<Image ID="Image:0" Name="{}">{}{}{})"
        R"(<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="{}" BigEndian="false" )"
        R"(SizeX="{}" SizeY="{}" SizeZ="{}" SizeC="1" SizeT="1" )"
        R"(PhysicalSizeX="{}" PhysicalSizeXUnit="mm" PhysicalSizeY="{}" PhysicalSizeYUnit="mm" )"
        R"(PhysicalSizeZ="{}" PhysicalSizeZUnit="mm">)"
        R"(<Channel ID="Channel:0:0" SamplesPerPixel="1"/>)"
        R"(<TiffData IFD="0" FirstZ="0" FirstC="0" FirstT="0" PlaneCount="{}"/>)"
        R"(</Pixels></Image></OME>)",
        xmlEscaped(name), kOpening, toJson(description), kClosing, typeName, voxels[0], voxels[1],
        voxels[2], pitch[0], pitch[1], pitch[2], voxels[2]);
}

std::string_view descriptionIn(std::string_view imageDescription) {
    const auto begin = imageDescription.find(kOpening);
    const auto end = imageDescription.find(kClosing);
    if (!imageDescription.starts_with("<?xml") || begin == imageDescription.npos ||
        end == imageDescription.npos || end < begin)
        return imageDescription;
    return imageDescription.substr(begin + kOpening.size(), end - begin - kOpening.size());
}

}  // namespace gantry
