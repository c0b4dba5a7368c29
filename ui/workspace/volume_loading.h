#pragma once

#include <QString>
#include <atomic>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "core/base/host_buffer.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_levels.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

/// The scan that a volume was made from, as its job or the record beside it says; all empty without
/// these.
struct VolumeOrigin {
    QString scan;                  ///< its name
    std::filesystem::path file;    ///< the scan.json
    std::filesystem::path folder;  ///< of the scan
    /// Of a job's preview: the pitch of the volume's own voxels along x, mm; else 0.
    double previewedPitchMm = 0;
};
/// Never throws: a volume may come from anywhere.
/// Tests: tests/ui/workspace/volume_loading_test.cpp
[[nodiscard]] VolumeOrigin originOf(const std::filesystem::path& volume);

/// A volume in memory, to be looked at.
struct LoadedVolume {
    QString path;
    QString format;  ///< "MetaImage, 32-bit float"
    VolumeOrigin origin;
    std::shared_ptr<const VolumeLevels> levels;  ///< the file, for what needs its own voxels
    VolumeGrid stored;                           ///< of the file
    VolumeGrid grid;           ///< of `voxels`: coarser where the whole is not held
    HostBuffer<float> voxels;  ///< attenuation, 1/mm; [z][y][x], x fastest
    Histogram histogram;
    GreyWindow window;    ///< to begin with
    Index notFinite = 0;  ///< of `voxels`
    QString damage;       ///< what cannot be read, a sentence; `voxels` are NaN there

    [[nodiscard]] bool isWhole() const { return grid == stored; }
};

/// How much of a volume is to be held.
struct VolumeBudget {
    Index wholeBytes = 0;     ///< up to so much it is read wholly
    Index overviewBytes = 0;  ///< else a coarser level of at most so much
};

/// Reads a volume, or the finest of its coarser levels (core/io/volume/volume_levels.h) that the
/// budget allows: of a volume of any size that takes a moment where the budget is small.
/// A damaged chunk or slice hides no other.
/// @param fraction  how much has been read, for another thread to look at
/// @throws InputError as openStoredVolume(), and where nothing can be read; ResourceError,
/// Cancelled Tests: tests/ui/workspace/volume_loading_test.cpp
[[nodiscard]] LoadedVolume loadVolume(const std::filesystem::path& path, const VolumeBudget& budget,
                                      std::atomic<double>& fraction, const std::stop_token& stop);

}  // namespace gantry
