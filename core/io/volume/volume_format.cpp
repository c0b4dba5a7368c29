#include "core/io/volume/volume_format.h"

#include <fmt/format.h>

#include <cctype>
#include <string>

#include "core/base/error.h"

namespace gantry {

VolumeFormat volumeFormatOf(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!path.has_filename() || extension.empty()) return VolumeFormat::tiffFolder;
    if (extension == ".mha") return VolumeFormat::metaImage;
    if (extension == ".mhd") return VolumeFormat::metaImagePair;
    if (extension == ".raw") return VolumeFormat::raw;
    if (extension == ".tif" || extension == ".tiff") return VolumeFormat::bigTiff;
    throw InputError(
        fmt::format("{} has the unknown ending '{}'. A volume ends in .mha, .mhd, .raw, .tif, "
                    ".tiff, or in / for a folder of TIFF slices.",
                    path.string(), path.extension().string()));
}

std::filesystem::path metaImageDataPath(const std::filesystem::path& header) {
    std::filesystem::path data = header;
    return data.replace_extension(".raw");
}

std::filesystem::path rawDescriptionPath(const std::filesystem::path& raw) {
    std::filesystem::path description = raw;
    description += ".json";
    return description;
}

}  // namespace gantry
