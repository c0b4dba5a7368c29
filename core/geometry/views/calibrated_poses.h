#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/views/mean_circle.h"
#include "core/geometry/views/view_pose.h"

namespace gantry {

/// Views whose source and detector were calibrated independently: a pose a view, in no rigid
/// relation. Immutable; copies share the poses and the circle fitted to them. Several threads may
/// read it. Tests: tests/core/geometry/calibrated_poses_test.cpp
class CalibratedPoses {
  public:
    CalibratedPoses();  ///< no views
    explicit CalibratedPoses(std::vector<ViewPose> poses);

    [[nodiscard]] const std::vector<ViewPose>& poses() const { return m_data->poses; }
    [[nodiscard]] const MeanCircle& meanCircle() const { return m_data->circle; }
    /// Angles of the sources about the mean circle's axis.
    [[nodiscard]] const std::vector<double>& anglesDeg() const { return m_data->anglesDeg; }

    /// These implement ScanGeometry's functions of the same names; the magnification is the mean
    /// circle's.
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
    std::string fault;  ///< the predicate of a sentence
};

/// The first pose that cannot be used, by itself or relative to the others (a detector behind the
/// source or nearer than the axis); if there is none, view is the number of poses.
[[nodiscard]] FaultyPose firstFaultyPose(const CalibratedPoses& poses);

/// Distances of a view's source and detector centre from their positions on the mean circle.
struct FarPose {
    std::size_t view = 0;
    double sourceMm = 0;
    double detectorMm = 0;
};

/// The views that lie farthest off, the farthest first; at most `most`.
[[nodiscard]] std::vector<FarPose> farthestPoses(const CalibratedPoses& poses, std::size_t max);

/// A view that differs too much from its neighbours: in which parameter and by how much.
struct PoseJump {
    std::size_t view = 0;
    const PoseParameter* parameter = nullptr;  ///< null: no view jumps
    double difference = 0;                     ///< from the mean of both neighbours
    std::size_t views = 0;                     ///< number of views that jump
};

/// The worst jump: more than ten times the usual difference of neighbouring views, and more than a
/// thousandth of the source–detector distance, or half a degree. None if a pose is faulty.
[[nodiscard]] PoseJump worstJump(const CalibratedPoses& poses);

}  // namespace gantry
