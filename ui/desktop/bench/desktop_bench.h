#pragma once

#include <filesystem>
#include <memory>

#include "core/engine/backends.h"
#include "core/geometry/vec3.h"
#include "ui/desktop/bench/desktop_figures.h"

namespace gantry {

/// Measures in the real window what a user waits for. Made at the very start of the program,
/// because the first figure counts from the process' start. Its settings are not the user's.
class DesktopBench {
  public:
    /// Shows the window. @throws InputError when there is no display
    DesktopBench(Machine machine, const std::filesystem::path& program);
    ~DesktopBench();

    /// From the start of the process to the first picture of the window, seconds.
    [[nodiscard]] double firstWindowSeconds() const;
    /// From opening a scan to its first view on the screen, seconds.
    /// @throws InputError when it does not come within a minute
    [[nodiscard]] double firstProjectionSeconds(const std::filesystem::path& scan);

    struct Live {
        double firstSeconds = 0;  ///< from a step of the centre's slider to the first new pictures
        double trueSeconds = 0;   ///< until those of a whole reconstruction; both are medians
        double stallMs = 0;       ///< the longest stall meanwhile
        bool isOnGpu = false;     ///< they were made on a GPU
    };
    /// Shows live slices of the open scan and moves the centre of rotation.
    [[nodiscard]] Live liveSlices();

    struct Timeline {
        double readSeconds = 0;  ///< until the spans of the file are drawn
        double panFramesPerSecond = 0;
        double zoomFramesPerSecond = 0;
    };
    /// Shows the timeline of a job's folder, pans over all of it and zooms in and out.
    [[nodiscard]] Timeline timeline(const std::filesystem::path& job);

    /// Opens a volume and zooms in on a point where the file's own voxels are above 0 and those of
    /// its sample are 0. Reports the times and the memory.
    [[nodiscard]] LargeVolume largeVolume(const std::filesystem::path& path, const Vec3& placeMm);

    struct Volume {
        double shownSeconds = 0;  ///< from opening it to its fine picture in 3D
        double movingMs = 0;      ///< a picture while it is turned with the mouse
        double fineMs = 0;        ///< from the release to the fine picture
    };
    /// Opens a volume and turns it in 3D.
    [[nodiscard]] Volume volume(const std::filesystem::path& path);

    /// The longest time in which the GUI thread did not return to its event loop, over everything
    /// measured before the frames of timeline and volume, ms.
    [[nodiscard]] double longestStallMs() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
