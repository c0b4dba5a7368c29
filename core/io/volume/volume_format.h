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

struct FlatLayout;

/// The names of the formats in code.
enum class VolumeFormat {
    metaImage,
    metaImagePair,
    raw,
    bigTiff,
    tiffFolder,
    zarr,
    hdf5,
    vgi,
    nrrd,
    nrrdPair,
    nifti,
    omeTiff,
    dicom
};

/// Max size of a header or small file on disk, rounded up.
inline constexpr Index kVolumeHeaderBytes = 4096;

/// The path without the '/' at its end.
[[nodiscard]] std::filesystem::path placeOf(const std::filesystem::path& path);
/// "Cannot write PATH: SENTENCE.", of the field output.path. @throws InputError always
[[noreturn]] void refuseOutput(const std::filesystem::path& path, const std::string& sentence);
/// @throws InputError where something that is no regular file has that name
void checkFree(const std::filesystem::path& file);
/// The same where a link would be in the way too: two files that name each other stay together.
void checkFreeOfLinks(const std::filesystem::path& file);
/// The same for a text header and the file with the voxels that it names: without quotes, so that
/// some names are not possible. other: an ending of one file, ".mha"
void checkHeaderAndData(const std::filesystem::path& header, const std::filesystem::path& data,
                        std::string_view other);

/// A format that volumes are written and read in; a file's name selects it.
struct VolumeFileFormat {
    VolumeFormat format{};
    std::string_view name;                     ///< for a list of readable formats
    std::string_view label;                    ///< in the desktop, before the usual extension
    std::vector<std::string_view> extensions;  ///< in lower case, the usual one first; none: folder
    std::vector<PixelType> types = {PixelType::float32, PixelType::uint16, PixelType::uint8};
    bool hasOneWriter = false;  ///< several processes cannot write it together
    bool isFolder = false;      ///< whose name has that extension; a '/' may follow
                                ///< it

    /// The file with the voxels, or their folder. place: the name of the output
    std::filesystem::path (*dataPath)(const std::filesystem::path& place) =
        [](const std::filesystem::path& place) { return place; };
    /// All that is replaced when the volume is written: the file or folder, and files beside it.
    std::vector<std::filesystem::path> (*files)(const std::filesystem::path& place) =
        [](const std::filesystem::path& place) { return std::vector{place}; };
    /// @throws InputError if something is in the way or the name is not possible
    void (*checkPlace)(const std::filesystem::path& place) = checkFree;
    /// Disk space beside the voxels, which have that type, rounded up.
    Index (*headerBytes)(const VolumeGrid& grid, PixelType type) =
        [](const VolumeGrid&, PixelType) { return 2 * kVolumeHeaderBytes; };
    /// Max disk space beside that while the volume is written.
    Index (*scratchBytes)(const VolumeGrid& grid,
                          PixelType type) = [](const VolumeGrid&, PixelType) { return Index{0}; };
    /// Memory that writing takes beside the slices, for each thread that writes.
    Index (*threadBytes)(PixelType type) = [](PixelType) { return Index{0}; };
    /// Opens the output as openSink() does, without its checks.
    std::unique_ptr<VolumeSink> (*write)(const std::filesystem::path& place, const VolumeGrid& grid,
                                         const VoxelEncoding& encoding, SinkStart start) = nullptr;

    /// How its file lies on disk where that is flat, for a header to be stated anew; otherwise
    /// none.
    FlatLayout (*layout)(const std::filesystem::path& place, const VolumeGrid& grid,
                         const VoxelEncoding& encoding) = nullptr;

    /// Opens a volume as openStoredVolume() does, as its own header says. path: exists
    StoredVolume (*read)(const std::filesystem::path& path) = nullptr;
    /// The files beside a volume's file that are read with it, as its header says; they need not
    /// exist. @throws InputError if it cannot be read
    std::vector<std::filesystem::path> (*companions)(const std::filesystem::path& file) =
        [](const std::filesystem::path&) { return std::vector<std::filesystem::path>(); };
    /// Tests a file as isStoredVolume() does. @throws InputError if it cannot be read
    bool (*isVolume)(const std::filesystem::path& path) = nullptr;
};

/// MetaImage, NRRD, NIfTI, VGSTUDIO, raw, TIFF, DICOM, OME-Zarr, HDF5. A format is added by its
/// file and a line there.
[[nodiscard]] const std::vector<VolumeFileFormat>& volumeFormats();

/// The format that the path's extension selects.
/// @throws InputError listing the extensions if it is unknown
[[nodiscard]] const VolumeFileFormat& volumeFormatOf(const std::filesystem::path& path);

/// The format of an existing file or folder: a folder contains slices, whatever its name, or a Zarr
/// image.
/// @throws InputError as volumeFormatOf(), and for a file without an extension
[[nodiscard]] const VolumeFileFormat& storedFormatOf(const std::filesystem::path& path);

/// "Cannot open PATH: SENTENCE." @throws InputError always
[[noreturn]] void refuseVolume(const std::filesystem::path& path, const std::string& sentence,
                               ErrorCode code = ErrorCode::damagedFile);

}  // namespace gantry
