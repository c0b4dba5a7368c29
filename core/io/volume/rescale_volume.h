#pragma once

#include <filesystem>

#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// The same voxels, told as values of another scale: only slope and intercept change.
/// Tests: tests/core/io/rescale_volume_test.cpp
[[nodiscard]] VoxelEncoding rescaled(const VoxelEncoding& encoding, const ValueScale& scale);

/// Does the same by the scale that the record beside the volume (see recordPath()) states, if it
/// states one: it holds whatever the file says. Records that are no JSON are passed over.
/// @throws InputError naming the record whose "calibration" is wrong
[[nodiscard]] VoxelEncoding asRecorded(const std::filesystem::path& volume,
                                       const VoxelEncoding& encoding);

/// Removes the scale from a volume's record, if there is one. @throws InputError, ResourceError
void forgetRecordedScale(const std::filesystem::path& volume);

/// Gives the values of a volume on disk another scale, Hounsfield units or attenuation again. No
/// voxel is written: the scale goes to the record beside the volume, which every reader of ours
/// goes by, and to the headers of files that Gantry wrote as MetaImage, NRRD, NIfTI, VGSTUDIO, raw
/// and single TIFF, where there is room.
/// @returns whether the file says it, too, so that other programs find it
/// @throws InputError as openStoredVolume(); a file cannot be written, or is being written;
/// ResourceError
/// Tests: tests/core/io/rescale_volume_test.cpp, tests/cli/test_density.py
bool rescaleVolume(const std::filesystem::path& volume, const ValueScale& scale);

}  // namespace gantry
