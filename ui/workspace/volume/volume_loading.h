#pragma once

#include <QString>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/host_buffer.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/volume/volume_levels.h"
#include "core/io/volume/voxel_encoding.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The scan that a volume was made from, according to its job or the record beside it; empty
/// without these.
struct VolumeOrigin {
    QString scan;                  ///< its name
    std::filesystem::path file;    ///< the scan.json
    std::filesystem::path folder;  ///< of the scan
    /// For a job's preview: the pitch of the volume's own voxels along x, mm; else 0.
    double previewedPitchMm = 0;
    /// The field of view that was measured, of a volume that was made wider, whose values outside
    /// are estimates; none: it was not.
    std::optional<FieldOfView> measured = {};
    std::optional<ScanGeometry> geometry = {};  ///< that it was made with
};
/// Never throws: a volume may come from anywhere.
/// Tests: tests/ui/workspace/volume_loading_test.cpp
[[nodiscard]] VolumeOrigin originOf(const std::filesystem::path& volume);

/// Why a volume of that origin says nothing about the views of a scan: a sentence; empty where it
/// does, or where nothing is recorded of its origin.
/// Tests: tests/ui/panels/residual_views_test.cpp
[[nodiscard]] QString whyNotOfScan(const VolumeOrigin& origin, const ScanFile& scan);

/// A volume in memory, for display.
struct LoadedVolume {
    QString path;
    QString format;  ///< "MetaImage, 32-bit float"
    VolumeOrigin origin;
    std::shared_ptr<const VolumeLevels> levels;  ///< the file, for access to its own voxels
    VolumeGrid stored;                           ///< of the file
    VolumeGrid grid;           ///< of `voxels`: coarser if the whole is not in memory
    HostBuffer<float> voxels;  ///< in `unit`; [z][y][x], x fastest
    ValueScale scale;          ///< how the values come from attenuation
    Histogram histogram;
    /// The unit of the voxels; whole numbers that the file does not convert into attenuation have
    /// none.
    QString unit = QStringLiteral("/mm");
    GreyWindow window;    ///< the initial window
    Index notFinite = 0;  ///< of `voxels`
    QString damage;       ///< what cannot be read, a sentence; `voxels` are NaN there

    [[nodiscard]] bool isWhole() const { return grid == stored; }
};

/// What tells volumes of one object from those of others.
struct VolumeIdentity {
    VolumeOrigin origin;
    VolumeGrid stored;
};
/// Whether places in the one are places in the other: both were made from one scan, or, where that
/// is not known, fill the same box.
/// Tests: tests/ui/workspace/volume_loading_test.cpp
[[nodiscard]] bool showOneObject(const VolumeIdentity& a, const VolumeIdentity& b);

/// How much of a volume may be in memory.
struct VolumeBudget {
    Index wholeBytes = 0;     ///< up to this size it is read completely
    Index overviewBytes = 0;  ///< otherwise the finest coarser level up to this size
};

/// Reads a volume, or the finest of its coarser levels (core/io/volume/volume_levels.h) that the
/// budget allows: with a small budget, any volume takes only a moment. A damaged chunk or slice
/// hides no others.
/// @param fraction  progress, read by another thread
/// @throws InputError as openStoredVolume(), and if nothing can be read; ResourceError, Cancelled
/// Tests: tests/ui/workspace/volume_loading_test.cpp
[[nodiscard]] LoadedVolume loadVolume(const std::filesystem::path& path, const VolumeBudget& budget,
                                      std::atomic<double>& fraction, const std::stop_token& stop);

}  // namespace gantry
