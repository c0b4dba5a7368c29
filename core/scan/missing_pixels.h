#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/types.h"
#include "core/io/projection_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/prep/calibration.h"

namespace gantry {

struct OpenScan;

/// Marks pixels as bad that every one of a few views lacks, as the first and the last: those that
/// are no numbers, and rows without one usable pixel.
/// @returns a sentence on them; empty: there are none
/// @throws ResourceError
/// Tests: tests/core/scan/missing_pixels_test.cpp
[[nodiscard]] std::string markMissingInAllViews(const ProjectionSource& views, ProjectionKind kind,
                                                DetectorCalibration& calibration);

/// Fills what single views lack from the views beside them in angle: rows without one usable
/// pixel, which a detector or a network has lost, and, in files of floats, runs of at least
/// kMinRun pixels that are no numbers. Each pixel is interpolated between the nearest views that
/// have it, within kMaxSteps usual steps. Pixels that the first, the middle and the last view lack
/// too, as in gaps between modules, are missing in all views: they stay as they are, and are made
/// from others of the same view.
/// Several threads may use it. Tests: tests/core/scan/missing_pixels_test.cpp
class MissingPixels {
  public:
    static constexpr Index kMinRun = 4;
    static constexpr double kMaxSteps = 3.001;

    /// anglesDeg: of the source's views
    explicit MissingPixels(std::vector<double> anglesDeg);

    /// pixels: these rows of the view, as stored; what is missing is filled in
    void fill(const OpenScan& scan, Index view, IndexRange rows, std::span<std::byte> pixels);

    /// "In view 3 …", for the views that were read so far; empty where nothing was filled.
    [[nodiscard]] std::string note() const;

  private:
    // Neighbouring pixels of a row.
    struct Run {
        Index row;
        Index begin;
        Index end;
    };
    struct Beside {
        Index view;
        double apartDeg;
    };
    [[nodiscard]] static std::vector<Run> runsIn(const OpenScan& scan, IndexRange rows,
                                                 std::span<const std::byte> pixels);
    void findPermanent(const OpenScan& scan);
    [[nodiscard]] std::vector<Beside> viewsBeside(Index view, int direction) const;
    [[nodiscard]] HostBuffer<float> valuesBeside(const OpenScan& scan, Index view, int direction,
                                                 IndexRange rows, const std::vector<Run>& wanted,
                                                 HostBuffer<float>& apartDeg) const;

    std::vector<std::pair<double, Index>> m_byAngle;  ///< the views, sorted
    std::vector<std::size_t> m_placeOf;               ///< [view], in m_byAngle
    double m_stepDeg = 0;
    std::once_flag m_isPermanentKnown;
    std::vector<bool> m_isPermanent;  ///< [v][u]; empty: no pixel is missing in all views
    mutable std::mutex m_mutex;
    std::set<Index> m_filled;  ///< numbers in the trajectory
};

}  // namespace gantry
