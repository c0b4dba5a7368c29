#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/io/tiff/tiff_file.h"
#include "tests/support/hdf5_writer.h"

namespace gantry::test {

/// Frames of one level each, on a detector of this size.
inline constexpr Index kFrameColumns = 12;
inline constexpr Index kFrameRows = 9;

/// The pixels of frames of these levels; each pixel is a little brighter than the one before.
inline std::vector<std::uint16_t> pixelsOf(const std::vector<double>& levels) {
    std::vector<std::uint16_t> pixels;
    for (const double level : levels)
        for (Index p = 0; p < kFrameRows * kFrameColumns; ++p)
            pixels.push_back(static_cast<std::uint16_t>(
                level * (1 + 0.001 * static_cast<double>(p % kFrameColumns)) + 0.5));
    return pixels;
}

inline void writeFrames(Hdf5Writer& file, const std::string& name,
                        const std::vector<double>& levels) {
    const std::vector<std::uint16_t> pixels = pixelsOf(levels);
    file.images(
        name, PixelType::uint16,
        {levels.size(), static_cast<hsize_t>(kFrameRows), static_cast<hsize_t>(kFrameColumns)},
        std::as_bytes(std::span(pixels)));
}

/// Frames of these levels with their keys (0: projection, 1: flat, 2: dark) as an NXtomo entry.
inline void writeNxFrames(Hdf5Writer& file, const std::vector<double>& levels,
                          const std::vector<double>& keys) {
    file.text("/entry/definition", "NXtomo");
    writeFrames(file, "/entry/instrument/detector/data", levels);
    file.numbers("/entry/instrument/detector/image_key", keys);
}

/// One TIFF a level, NAME_000.tif and so on.
inline void writeTiffFrames(const std::filesystem::path& folder, const std::string& name,
                            const std::vector<double>& levels) {
    std::filesystem::create_directories(folder);
    TiffPage page;
    page.columns = kFrameColumns;
    page.rows = kFrameRows;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::string number = std::to_string(1000 + i).substr(1);
        TiffWriter writer(folder / (name + "_" + number + ".tif"), TiffWriter::Mode::classic);
        const std::vector<std::uint16_t> pixels = pixelsOf({levels[i]});
        writer.write(page, std::as_bytes(std::span(pixels)));
        writer.close();
    }
}

}  // namespace gantry::test
