#pragma once

#include <filesystem>

#include "core/io/volume/volume_format.h"

namespace gantry {

/// A folder of DICOM files, one a slice: CT Image Storage of 16-bit voxels, uncompressed, with
/// position, spacing and rescaling. World x, y, z are left, posterior and superior, as in
/// MetaImage. Series of other programs are read if their slices are axial and equally spaced.
/// Tests: tests/core/io/dicom_test.cpp, tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat dicomVolumes();

/// Whether a folder has files whose names end in .dcm.
[[nodiscard]] bool isDicomFolder(const std::filesystem::path& folder) noexcept;

}  // namespace gantry
