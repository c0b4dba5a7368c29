#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "core/io/stored_pixels.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

/// What a DICOM file tells of a slice.
struct DicomSlice {
    std::filesystem::path file;
    Index rows = 0;
    Index columns = 0;
    std::array<double, 2> pitchMm = {1, 1};      ///< along columns (x), along rows (y)
    std::array<double, 3> originMm = {0, 0, 0};  ///< centre of the first voxel
    double thicknessMm = 0;                      ///< 0: not stated
    VoxelEncoding encoding;
    std::string comments;  ///< a VolumeDescription of ours, or anything else
    StoredPixels pixels;
};

/// The bytes of a file in front of its voxels, which end it: slice z of a volume.
/// name: of the volume; uid: "2.25.N", shared by all of its slices
/// @throws InternalError if DCMTK cannot make them
[[nodiscard]] std::string dicomHeader(const VolumeDescription& volume, const std::string& name,
                                      const std::string& uid, Index z);

/// Reads a file's header, and checks that its voxels end the file.
/// @throws InputError naming the file: no DICOM, compressed, of several values a voxel, not axial
/// or damaged
/// Tests: tests/core/io/dicom_test.cpp
[[nodiscard]] DicomSlice readDicomSlice(const std::filesystem::path& file);

/// "2.25.N" with N a new random UUID as a number of 39 digits.
[[nodiscard]] std::string newDicomUid();

}  // namespace gantry
