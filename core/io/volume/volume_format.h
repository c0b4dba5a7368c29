#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/stored_volume.h"
#include "core/io/volume/volume_sink.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// What a format is called in code.
enum class VolumeFormat { metaImage, metaImagePair, raw, bigTiff, tiffFolder, zarr, hdf5 };

/// What a header or small file takes on disk, rounded up.
inline constexpr Index kVolumeHeaderBytes = 4096;

/// The path without the '/' at its end.
[[nodiscard]] std::filesystem::path placeOf(const std::filesystem::path& path);
/// "Cannot write PATH: SENTENCE.", of the field output.path. @throws InputError always
[[noreturn]] void refuseOutput(const std::filesystem::path& path, const std::string& sentence);
/// @throws InputError where something that is no regular file has that name
void checkFree(const std::filesystem::path& file);

/// A format that volumes are written and read in; which one follows from the name.
struct VolumeFileFormat {
    VolumeFormat format{};
    std::string_view name;                     ///< as a list of what is read has it
    std::vector<std::string_view> extensions;  ///< in lower case, the usual one first; none: folder
    bool isFolder = false;                     ///< of that ending; a '/' may follow it

    /// The file with the voxels, or their folder. place: the name of the output
    std::filesystem::path (*dataPath)(const std::filesystem::path& place) =
        [](const std::filesystem::path& place) { return place; };
    /// @throws InputError where something is in the way or the name cannot be had
    void (*checkPlace)(const std::filesystem::path& place) = checkFree;
    /// What it takes on disk beside the voxels, which are of that type, rounded up.
    Index (*headerBytes)(const VolumeGrid& grid, PixelType type) =
        [](const VolumeGrid&, PixelType) { return 2 * kVolumeHeaderBytes; };
    /// The most that it takes beside that while it is written.
    Index (*scratchBytes)(const VolumeGrid& grid,
                          PixelType type) = [](const VolumeGrid&, PixelType) { return Index{0}; };
    /// Memory that writing takes beside the slices, for each thread that writes.
    Index (*threadBytes)(PixelType type) = [](PixelType) { return Index{0}; };
    /// As openSink(), without its checks.
    std::unique_ptr<VolumeSink> (*write)(const std::filesystem::path& place, const VolumeGrid& grid,
                                         const VoxelEncoding& encoding, SinkStart start) = nullptr;

    /// As openStoredVolume(). path: exists
    StoredVolume (*read)(const std::filesystem::path& path) = nullptr;
    /// As isStoredVolume(). @throws InputError where it cannot be read
    bool (*isVolume)(const std::filesystem::path& path) = nullptr;
};

/// MetaImage in one file and in two, raw, BigTIFF, folders of TIFF slices, OME-Zarr, HDF5. A format
/// is added by its file and a line there.
[[nodiscard]] const std::vector<VolumeFileFormat>& volumeFormats();

/// The format that a name asks for. @throws InputError listing the extensions when its own is
/// unknown
[[nodiscard]] const VolumeFileFormat& volumeFormatOf(const std::filesystem::path& path);

/// The format of what is there: a folder holds slices, whatever its name, or a Zarr image.
/// @throws InputError as volumeFormatOf(); where a file has no extension
[[nodiscard]] const VolumeFileFormat& storedFormatOf(const std::filesystem::path& path);

/// "Cannot open PATH: SENTENCE." @throws InputError always
[[noreturn]] void refuseVolume(const std::filesystem::path& path, const std::string& sentence,
                               ErrorCode code = ErrorCode::damagedFile);

}  // namespace gantry
