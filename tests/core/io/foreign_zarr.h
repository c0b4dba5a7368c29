#pragma once

#include <blosc.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/pixel_type.h"
#include "tests/core/io/image_files.h"
#include "tests/core/io/random_volume.h"

namespace gantry::test {

/// A Zarr 2 array as another program writes it, chunk by chunk, and by none of Gantry's code.
struct ForeignArray {
    std::array<Index, 3> shape = {5, 6, 7};   ///< z, y, x
    std::array<Index, 3> chunks = {2, 4, 3};  ///< z, y, x
    Index leading = 0;                        ///< dimensions of length 1 in front
    PixelType type = PixelType::float32;
    std::string dtype = "<f4";
    bool bigEndian = false;
    std::string codec;  ///< "zlib", "gzip", or an inner codec of blosc; empty: none
    char separator = '.';
    nlohmann::json fill = 0;
    int missing = -1;  ///< the number of a chunk that is not written

    [[nodiscard]] nlohmann::ordered_json json() const {
        const auto withLeading = [&](const std::array<Index, 3>& sizes) {
            std::vector<Index> all(static_cast<std::size_t>(leading), 1);
            all.insert(all.end(), sizes.begin(), sizes.end());
            return all;
        };
        nlohmann::ordered_json compressor;  // null
        if (codec == "zlib" || codec == "gzip")
            compressor = {{"id", codec}, {"level", 1}};
        else if (!codec.empty())
            compressor = {{"id", "blosc"}, {"cname", codec}, {"clevel", 5}, {"shuffle", 2}};
        return {{"zarr_format", 2},
                {"shape", withLeading(shape)},
                {"chunks", withLeading(chunks)},
                {"dtype", dtype},
                {"compressor", compressor},
                {"fill_value", fill},
                {"order", "C"},
                {"filters", nullptr},
                {"dimension_separator", std::string(1, separator)}};
    }
};

inline std::string packed(const ForeignArray& array, const Bytes& chunk) {
    if (array.codec.empty()) return {reinterpret_cast<const char*>(chunk.data()), chunk.size()};
    std::string out(chunk.size() + 1024, '\0');
    if (array.codec == "zlib" || array.codec == "gzip") {
        z_stream stream{};
        deflateInit2(&stream, 1, Z_DEFLATED, array.codec == "gzip" ? 15 + 16 : 15, 8,
                     Z_DEFAULT_STRATEGY);
        Bytes in = chunk;
        stream.next_in = reinterpret_cast<Bytef*>(in.data());
        stream.avail_in = static_cast<uInt>(in.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        deflate(&stream, Z_FINISH);
        out.resize(stream.total_out);
        deflateEnd(&stream);
        return out;
    }
    const int bytes =
        blosc_compress_ctx(5, 2, static_cast<std::size_t>(sizeBytes(array.type)), chunk.size(),
                           chunk.data(), out.data(), out.size(), array.codec.c_str(), 0, 1);
    out.resize(static_cast<std::size_t>(std::max(bytes, 0)));
    return out;
}

/// Writes it. pixels: [z][y][x], host byte order
inline void writeForeign(const std::filesystem::path& folder, const ForeignArray& array,
                         const Bytes& pixels) {
    std::filesystem::create_directories(folder);
    writeBytes(folder / ".zarray", array.json().dump());
    const auto size = static_cast<std::size_t>(sizeBytes(array.type));
    const auto [cZ, cY, cX] = array.chunks;
    int number = 0;
    for (Index z0 = 0; z0 < array.shape[0]; z0 += cZ)
        for (Index y0 = 0; y0 < array.shape[1]; y0 += cY)
            for (Index x0 = 0; x0 < array.shape[2]; x0 += cX) {
                if (number++ == array.missing) continue;
                Bytes chunk(static_cast<std::size_t>(cZ * cY * cX) * size, std::byte{0x55});
                for (Index i = 0; i < cZ * cY * cX; ++i) {
                    const Index z = z0 + i / cX / cY;
                    const Index y = y0 + i / cX % cY;
                    const Index x = x0 + i % cX;
                    if (z >= array.shape[0] || y >= array.shape[1] || x >= array.shape[2]) continue;
                    const Index from = (z * array.shape[1] + y) * array.shape[2] + x;
                    const auto* const pixel = pixels.data() + static_cast<std::size_t>(from) * size;
                    auto* const to = chunk.data() + static_cast<std::size_t>(i) * size;
                    std::copy_n(pixel, size, to);
                    if (array.bigEndian) std::reverse(to, to + size);
                }
                std::string name;
                for (Index i = 0; i < array.leading; ++i)
                    name += fmt::format("0{}", array.separator);
                name += fmt::format("{1}{0}{2}{0}{3}", array.separator, z0 / cZ, y0 / cY, x0 / cX);
                std::filesystem::create_directories((folder / name).parent_path());
                writeBytes(folder / name, packed(array, chunk));
            }
}

/// .zattrs of an image of one level, "0", with axes (t, c,) z, y, x in micrometers.
inline nlohmann::ordered_json foreignAttributes(Index leading) {
    nlohmann::ordered_json image;
    image["version"] = "0.4";
    std::vector<double> scale(static_cast<std::size_t>(leading), 1);
    std::vector<double> translation(static_cast<std::size_t>(leading), 0);
    for (Index i = 0; i < leading; ++i)
        image["axes"].push_back({{"name", i + 1 == leading ? "c" : "t"}});
    for (const char* axis : {"z", "y", "x"})
        image["axes"].push_back({{"name", axis}, {"type", "space"}, {"unit", "micrometer"}});
    for (const double length : {500.0, 250.0, 200.0})
        scale.push_back(length);
    for (const double length : {1000.0, 2000.0, -3000.0})
        translation.push_back(length);
    image["datasets"].push_back({{"path", "0"},
                                 {"coordinateTransformations",
                                  {{{"type", "scale"}, {"scale", scale}},
                                   {{"type", "translation"}, {"translation", translation}}}}});
    nlohmann::ordered_json json;
    json["multiscales"].push_back(image);
    return json;
}

}  // namespace gantry::test
