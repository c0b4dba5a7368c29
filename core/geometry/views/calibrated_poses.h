#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/views/mean_circle.h"
#include "core/geometry/views/view_pose.h"

namespace gantry {

/// The calibrated poses of source and detector, one for each view, which need not lie on a common
/// orbit. Immutable; copies share the poses and the circle fitted to them. Several threads may read
/// it. Tests: tests/core/geometry/calibrated_poses_test.cpp
class CalibratedPoses {
  public:
    CalibratedPoses();  ///< no views
    explicit CalibratedPoses(std::vector<ViewPose> poses);

    [[nodiscard]] const std::vector<ViewPose>& poses() const { return m_data->poses; }
    [[nodiscard]] const MeanCircle& meanCircle() const { return m_data->circle; }
    /// The angles of the sources about the mean circle's axis.
    [[nodiscard]] const std::vector<double>& anglesDeg() const { return m_data->anglesDeg; }

    /// ScanGeometry's functions of the same names call these. The magnification is that of the mean
    /// circle.
    [[nodiscard]] Index views() const { return static_cast<Index>(poses().size()); }
    [[nodiscard]] double angleDeg(Index s) const;
    [[nodiscard]] double coverageDeg() const;
    [[nodiscard]] double magnification() const;

    friend bool operator==(const CalibratedPoses& a, const CalibratedPoses& b) {
        return a.m_data == b.m_data || a.poses() == b.poses();
    }

  private:
    struct Data {
        std::vector<ViewPose> poses;
        MeanCircle circle;
        std::vector<double> anglesDeg;
    };
    std::shared_ptr<const Data> m_data;
};

/// A pose that cannot be used.
struct FaultyPose {
    std::size_t view = 0;
    std::string fault;  ///< the predicate of a sentence: "has a pixel step of 0 mm"
};

/// Finds the first pose that cannot be used, because of its own values or because, relative to the
/// common axis, its detector is behind the source or nearer than the axis. If there is none, `view`
/// is the number of poses.
[[nodiscard]] FaultyPose firstFaultyPose(const CalibratedPoses& poses);

/// The residuals of a view: the distances of its source and of its detector's centre from their
/// positions on the mean circle.
struct FarPose {
    std::size_t view = 0;
    double sourceMm = 0;
    double detectorMm = 0;
};

/// The views with the largest residuals, the largest first; at most `max` of them.
[[nodiscard]] std::vector<FarPose> farthestPoses(const CalibratedPoses& poses, std::size_t max);

/// A view that is an outlier among its neighbours, with the parameter and the amount by which it
/// differs.
struct PoseJump {
    std::size_t view = 0;
    const PoseParameter* parameter = nullptr;  ///< null: no view jumps
    double difference = 0;                     ///< from the mean of both neighbours
    std::size_t views = 0;                     ///< number of views that jump
};

/// Finds the worst jump. A view jumps if a parameter differs from the mean of its two neighbours by
/// more than ten times the median of these differences, and by more than a thousandth of the
/// source–detector distance or, for an angle, half a degree. There is none if a pose is faulty or
/// there are fewer than five views.
[[nodiscard]] PoseJump worstJump(const CalibratedPoses& poses);

}  // namespace gantry
