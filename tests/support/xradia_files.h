#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "tests/support/ole_writer.h"

namespace gantry::test {

/// 32-bit integers and floats as streams hold them.
[[nodiscard]] inline std::string integers(std::initializer_list<std::int32_t> values) {
    std::string bytes;
    for (const std::int32_t value : values)
        bytes += littleEndian(std::bit_cast<std::uint32_t>(value), 4);
    return bytes;
}
[[nodiscard]] inline std::string floats(const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values)
        bytes += littleEndian(std::bit_cast<std::uint32_t>(value), 4);
    return bytes;
}

/// A small ZEISS Xradia file: streams by their paths, which tests change before they write it.
class XradiaFiles {
  public:
    /// A cone beam's scan of so many 16-bit images; pixel (column, row) of image k, from 1, is
    /// 1000 k + 10 row + column.
    XradiaFiles(int images, int columns, int rows) {
        streams = {{"ImageInfo/NoOfImages", integers({images})},
                   {"ImageInfo/ImagesTaken", integers({images})},
                   {"ImageInfo/ImageWidth", integers({columns})},
                   {"ImageInfo/ImageHeight", integers({rows})},
                   {"ImageInfo/DataType", integers({5})},
                   {"ImageInfo/AcquisitionMode", integers({0})},
                   {"ImageInfo/XrayGeometry", integers({1})},
                   {"ImageInfo/PixelSize", floats({2.5F})}};
        std::vector<float> angles;
        std::vector<float> ones;
        for (int k = 1; k <= images; ++k) {
            streams[imagePath(k)] = image(k, columns, rows);
            angles.push_back(static_cast<float>(k) * 7.5F - 180);
            ones.push_back(1);
        }
        streams["ImageInfo/Angles"] = floats(angles);
        streams["ImageInfo/ExpTimes"] = floats(ones);
        std::vector<float> distances(images, -25);
        streams["ImageInfo/StoRADistance"] = floats(distances);
        distances.assign(images, 75);
        streams["ImageInfo/DtoRADistance"] = floats(distances);
    }

    [[nodiscard]] static std::string imagePath(int k) {
        return "ImageData" + std::to_string((k + 99) / 100) + "/Image" + std::to_string(k);
    }
    [[nodiscard]] static std::string image(int k, int columns, int rows) {
        std::string bytes;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                bytes += littleEndian(static_cast<unsigned>(1000 * k + 10 * row + column), 2);
        return bytes;
    }

    std::filesystem::path write(const std::filesystem::path& path, int version = 4) const {
        OleWriter writer(version);
        for (const auto& [name, bytes] : streams)
            writer.add(name, bytes);
        writeFileAtomically(path, writer.write());
        return path;
    }

    std::map<std::string, std::string> streams;
};

}  // namespace gantry::test
