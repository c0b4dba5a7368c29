#pragma once

#include <filesystem>

namespace gantry {

/// How a volume is stored; which one follows from the name.
enum class VolumeFormat { metaImage, metaImagePair, raw, tiffFolder, bigTiff };

/// @throws InputError listing the formats when the extension is unknown
[[nodiscard]] VolumeFormat volumeFormatOf(const std::filesystem::path& path);

/// The file with the voxels of an .mhd header: NAME.raw.
[[nodiscard]] std::filesystem::path metaImageDataPath(const std::filesystem::path& header);

/// The description of a .raw volume: NAME.raw.json.
[[nodiscard]] std::filesystem::path rawDescriptionPath(const std::filesystem::path& raw);

}  // namespace gantry
