#pragma once

#include <filesystem>

#include "core/io/volume/volume_format.h"

namespace gantry {

// Formats of volumes alone; each stands in a folder of its name.

/// One BigTIFF, an image a slice; any TIFF file is read.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat bigTiffVolumes();

/// The same as OME-TIFF, a pyramid of ever smaller images of each slice (SubIFDs): OME-XML
/// describes the images. Tests: tests/core/io/ome_tiff_test.cpp
[[nodiscard]] VolumeFileFormat omeTiffVolumes();

/// A folder of TIFF files, one a slice.
/// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/read_volume_test.cpp
[[nodiscard]] VolumeFileFormat tiffFolderVolumes();

/// The files of VGSTUDIO: a .vgi, which describes, and the voxels in the .vol of the same name.
/// Position and pitch are those of its volume primitive; the text of its description is our
/// VolumeDescription, which has slope, intercept and unit.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat vgiVolumes();

/// NRRD with header and voxels in one file. World x, y, z are left, posterior and superior, as in
/// MetaImage; GantrySlope and GantryIntercept are key/value pairs. Reads raw and gzip.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat nrrdVolumes();

/// The header alone (.nhdr); its voxels lie beside it in NAME.raw.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat nrrdPairVolumes();

/// NIfTI in one file (.nii): version 1, or 2 where an axis has more than 32767 voxels. Its world is
/// right, anterior and superior: x and y run against ours, so that programs which convert show the
/// same as with MetaImage. Version 1 has 32-bit floats: slope and intercept of what is written are
/// rounded to those beforehand. Reads both versions of either byte order.
/// Tests: tests/core/io/flat_formats_test.cpp
[[nodiscard]] VolumeFileFormat niftiVolumes();

/// A folder of DICOM files, one a slice: CT Image Storage of 16-bit voxels, uncompressed, with
/// position, spacing and rescaling. World x, y, z are left, posterior and superior, as in
/// MetaImage. Series of other programs are read if their slices are axial and equally spaced.
/// Tests: tests/core/io/dicom_test.cpp, tests/core/io/open_sink_test.cpp
[[nodiscard]] VolumeFileFormat dicomVolumes();

/// Whether a folder has files whose names end in .dcm.
[[nodiscard]] bool isDicomFolder(const std::filesystem::path& folder) noexcept;

}  // namespace gantry
