#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/geometry/volume_grid.h"
#include "core/io/pixel_type.h"
#include "core/io/volume/volume_sink.h"

namespace gantry {

/// The kind of output file. The format follows from the path:
///   .mha         MetaImage, one file
///   .mhd         MetaImage header; the voxels in the .raw file of the same name
///   .raw         voxels only, little-endian; "NAME.raw.json" describes them
///   .nrrd        NRRD, one file; .nhdr: its header, with the .raw file of the same name
///   .nii         NIfTI
///   .vgi         VGSTUDIO's header, with the .vol file of the same name
///   .tif, .tiff  one BigTIFF, an image a slice; .ome.tif, .ome.tiff: with OME-XML
///   .dcm         a folder of DICOM slices, 16-bit
///   none, or a path that ends in '/'   a folder of TIFF slices slice_0000.tif, ...
///   .zarr        a folder of OME-Zarr 0.4, usually "NAME.ome.zarr": chunks, and coarser levels
///   .h5, .hdf5, .nxs  HDF5, as described at hdf5VolumeLayout()
/// Voxels are stored [z][y][x], x fastest. In TIFF, image z is slice z and its first (top) row is
/// y index 0, so that reading images in order restores the array. Pitch and position are in every
/// header: ElementSpacing and Offset (centre of voxel (0,0,0)) of MetaImage, the JSON description
/// beside .raw and in TIFF's ImageDescription, and TIFF's resolution.
struct OutputFormat {
    std::filesystem::path path;
    PixelType type = PixelType::float32;  ///< float32, uint16 or uint8
    /// For uint16 and uint8: the values (1/mm, or HU where there is a calibration) stored as 0 and
    /// as the type's largest value; if not given, the volume's own smallest and largest. Values
    /// outside take the nearer end. Stored = (value − range[0]) · largest/(range[1] − range[0]),
    /// rounded; headers record value = slope · stored + intercept (MetaImage: GantrySlope,
    /// GantryIntercept).
    std::optional<std::array<double, 2>> range = {};
    std::string calibration = {};  ///< as readCalibration(): makes values Hounsfield units
};

/// Opens the output under its temporary name. All sinks take slices in any order from any thread.
/// Scaled without a range, the volume is first spooled as float32 beside the output.
/// resumed: the caller writes again all slices that were not flushed. joined: finish() and
/// discard() are left to the process that opened the output first.
/// @throws InputError   the format, type or range is not supported, the place cannot be written,
///                      something else is in the way, another process is writing the same output,
///                      or there is nothing fitting to resume
/// @throws ResourceError  the disk has less room than the volume needs
/// Tests: tests/core/io/open_sink_test.cpp, tests/core/io/tiff_sink_test.cpp,
///        tests/core/io/scaled_sink_test.cpp, tests/core/io/full_disk_test.cpp
[[nodiscard]] std::unique_ptr<VolumeSink> openSink(const OutputFormat& format,
                                                   const VolumeGrid& grid, SinkStart start);

/// The size of the finished output on disk, its headers rounded up.
[[nodiscard]] Index outputBytes(const OutputFormat& format, const VolumeGrid& grid);

/// Max disk space of the output while it is written: if scaled without a range, it is there as
/// floats too; for OME-Zarr, slices wait until a layer of chunks is complete.
[[nodiscard]] Index diskBytesNeeded(const OutputFormat& format, const VolumeGrid& grid);

/// Memory that its sink takes beside the given slices, for each thread that writes.
[[nodiscard]] Index sinkThreadBytes(const OutputFormat& format);

/// @throws ResourceError (ErrorCode::disk) when the disk has less room than that; files that an
/// earlier run left of this output count as free space
/// freeDisk: the bytes that are free on the disk of a path; none: as the system tells
void requireDisk(const OutputFormat& format, const VolumeGrid& grid,
                 const std::function<Index(const std::filesystem::path&)>& freeDisk = {});
/// The same for `needed` bytes. remedy: a sentence about what helps
void requireDisk(const std::filesystem::path& output, Index needed, const char* remedy,
                 const std::function<Index(const std::filesystem::path&)>& freeDisk = {});

/// @throws InputError if the format has no voxels of that type, as DICOM's have 16 bits, or if the
/// calibration is none
void checkVoxels(const OutputFormat& format);

/// @throws InputError if a volume of that name cannot be written: its folder does not exist, or
/// something else is in the way
void checkOutputPlace(const std::filesystem::path& output);

}  // namespace gantry
