#include "ui/scene/schematic/schematic_shape.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/scene/box_outline.h"
#include "ui/scene/schematic/schematic_scale.h"

namespace gantry {

namespace {

constexpr int kFaceAlpha = 28;
constexpr int kCircleSegments = 72;

QColor mixed(const QColor& colour, const QColor& background, double share) {
    const auto channel = [share](float a, float b) {
        return static_cast<float>(share * a + (1 - share) * b);
    };
    return QColor::fromRgbF(channel(colour.redF(), background.redF()),
                            channel(colour.greenF(), background.greenF()),
                            channel(colour.blueF(), background.blueF()));
}

QColor translucent(QColor colour, int alpha = kFaceAlpha) {
    colour.setAlpha(alpha);
    return colour;
}

struct Arc {
    double startDeg;
    double sweepDeg;  // negative: clockwise
};

// The arc that the source covers, at most one turn.
Arc coveredArc(const ScanGeometry& geometry) {
    if (geometry.poses()) return coveredArc(meanCircleOf(geometry));
    const GantryAngles& declared = geometry.angles();
    const double coverage = std::min(360.0, geometry.coverageDeg());
    if (declared.anglesDeg.empty())
        return {declared.startDeg, std::copysign(coverage, declared.arcDeg)};
    const std::vector<double> angles = contiguousAngles(declared.anglesDeg);
    const auto [min, max] = std::minmax_element(angles.begin(), angles.end());
    if (angles.back() >= angles.front()) return {*min, coverage};
    return {*max, -coverage};
}

class Builder {
  public:
    Builder(const ScanGeometry& geometry, const VolumeGrid& grid, Index view, const Theme& theme)
        : m_geometry(geometry),
          m_grid(grid),
          m_pose(drawnPose(geometry, view)),
          m_corners(detectorCorners(geometry, view)),
          m_radius(schematicRadiusMm(geometry, grid)),
          m_theme(theme) {}

    SchematicShape build() {
        addAxis();
        addOrbit();
        addFieldOfView();
        addVolume();
        addDetector();
        addCone();
        return std::move(m_shape);
    }

  private:
    [[nodiscard]] QColor faint(const QColor& colour, double share) const {
        return mixed(colour, m_theme.background, share);
    }
    void label(Vec3 at, const QString& text, const QColor& colour) {
        m_shape.labels.push_back({at, text, colour});
    }
    void arrow(Vec3 from, Vec3 to, Vec3 side, const QColor& colour);
    [[nodiscard]] std::vector<Vec3> sourcePath(double startDeg, double sweepDeg, int steps) const;

    void addAxis();
    void addOrbit();
    void addSources();
    void addFieldOfView();
    void addVolume();
    void addDetector();
    void addCone();
    void addParallelRays();

    const ScanGeometry& m_geometry;
    const VolumeGrid& m_grid;
    ViewPose m_pose;
    std::array<Vec3, 4> m_corners;
    double m_radius;
    const Theme& m_theme;
    SchematicShape m_shape;
};

void Builder::arrow(Vec3 from, Vec3 to, Vec3 side, const QColor& colour) {
    constexpr double kHead = 0.12;
    const Vec3 back = kHead * (from - to);
    const Vec3 wing = (0.5 * length(back) / length(side)) * side;
    m_shape.strong.addLine(from, to, colour);
    m_shape.strong.addLine(to + back + wing, to, colour);
    m_shape.strong.addLine(to + back - wing, to, colour);
}

std::vector<Vec3> Builder::sourcePath(double startDeg, double sweepDeg, int steps) const {
    std::vector<Vec3> path;
    for (int i = 0; i <= steps; ++i)
        path.push_back(drawnPoseAt(m_geometry, startDeg + sweepDeg * i / steps).sourceMm);
    return path;
}

void Builder::addAxis() {
    const double reach = axisReachMm(m_geometry);
    Vec3 middle;
    Vec3 along = {0, 0, 1};
    if (const CalibratedPoses* poses = m_geometry.poses()) {
        middle = poses->meanCircle().centerMm;
        along = poses->meanCircle().axes[2];
    }
    m_shape.fine.addDashes(middle - reach * along, middle + reach * along, 16,
                           faint(m_theme.muted, 0.7));
}

void Builder::addOrbit() {
    const Arc arc = coveredArc(m_geometry);
    const double rest = std::copysign(360.0, arc.sweepDeg) - arc.sweepDeg;
    if (std::abs(rest) > 1) {
        const auto missing = sourcePath(arc.startDeg + arc.sweepDeg, rest, kCircleSegments);
        for (std::size_t i = 0; i + 1 < missing.size(); i += 2)
            m_shape.fine.addLine(missing[i], missing[i + 1], faint(m_theme.muted, 0.35));
    }
    const auto path = sourcePath(arc.startDeg, arc.sweepDeg, kCircleSegments);
    m_shape.strong.addPath(path, faint(m_theme.warning, 0.6));
    if (m_geometry.poses()) addSources();

    // The start is a tick across the orbit; arrowheads along it show the direction.
    const double size = 0.06 * m_radius;
    const Vec3 start = path.front();
    const Vec3 outwards = (1 / length(start)) * start;
    m_shape.strong.addLine(start - size * outwards, start + size * outwards, m_theme.warning);
    label(start + (1.6 * size) * outwards,
          QCoreApplication::translate("gantry::SchematicView", "start"), m_theme.muted);
    for (const std::size_t at : {path.size() / 8, path.size() / 2, path.size() * 7 / 8}) {
        const Vec3 along = path[at] - path[at - 1];
        if (length(along) <= 0) continue;
        const Vec3 back = (-size / length(along)) * along;
        const Vec3 wing = 0.5 * size * (1 / length(path[at])) * path[at];
        m_shape.strong.addLine(path[at] + back + wing, path[at], m_theme.warning);
        m_shape.strong.addLine(path[at] + back - wing, path[at], m_theme.warning);
    }
}

// Adds the sources of calibrated poses, as ticks across the mean circle.
void Builder::addSources() {
    constexpr Index kMaxTicks = 400;
    const double half = 0.012 * m_radius;
    const Index views = m_geometry.views();
    const Index step = std::max<Index>(1, views / kMaxTicks);
    for (Index s = 0; s < views; s += step) {
        const Vec3 at = viewPose(m_geometry, s).sourceMm;
        const Vec3 outwards = (half / length(at)) * at;
        m_shape.fine.addLine(at - outwards, at + outwards, m_theme.warning);
        m_shape.fine.addLine(at - Vec3{0, 0, half}, at + Vec3{0, 0, half}, m_theme.warning);
    }
}

void Builder::addFieldOfView() {
    constexpr int kUprights = 8;
    const FieldOfView field = fieldOfView(m_geometry);
    if (!(field.radiusMm > 0) || !(field.zMaxMm > field.zMinMm)) return;
    const QColor colour = faint(m_theme.muted, 0.45);
    const auto at = [&](int i, int of, double z) {
        const double angle = 2 * kPi * i / of;
        return Vec3{field.centerMm[0] + field.radiusMm * std::cos(angle),
                    field.centerMm[1] + field.radiusMm * std::sin(angle), z};
    };
    for (const double z : {field.zMinMm, field.zMaxMm})
        for (int i = 0; i < kCircleSegments; ++i)
            m_shape.fine.addLine(at(i, kCircleSegments, z), at(i + 1, kCircleSegments, z), colour);
    for (int i = 0; i < kUprights; ++i)
        m_shape.fine.addLine(at(i, kUprights, field.zMinMm), at(i, kUprights, field.zMaxMm),
                             colour);
}

void Builder::addVolume() {
    const auto corners = boxCorners(m_grid);
    for (std::size_t i = 0; i < corners.size(); ++i)
        for (const std::size_t bit : {1U, 2U, 4U})
            if (!(i & bit)) m_shape.strong.addLine(corners[i], corners[i | bit], m_theme.good);
    constexpr std::size_t kFaces[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                          {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    for (const auto& face : kFaces)
        m_shape.faces.addQuad(corners[face[0]], corners[face[1]], corners[face[2]],
                              corners[face[3]], translucent(m_theme.good));
}

void Builder::addDetector() {
    // its pixels are too many to be drawn, so fields stand for them
    constexpr Index kMaxFields = 8;
    const auto& c = m_corners;
    m_shape.faces.addQuad(c[0], c[1], c[2], c[3], translucent(m_theme.accent, 2 * kFaceAlpha));
    const Vec3 outline[] = {c[0], c[1], c[2], c[3], c[0]};
    m_shape.strong.addPath(outline, m_theme.accent);
    const QColor grid = faint(m_theme.accent, 0.4);
    const auto divide = [&](Index pixels, Vec3 from, Vec3 to, Vec3 across) {
        const Index fields = std::min(pixels, kMaxFields);
        for (Index i = 1; i < fields; ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(fields);
            const Vec3 at = from + share * (to - from);
            m_shape.fine.addLine(at, at + across, grid);
        }
    };
    divide(m_geometry.detector.columns, c[0], c[1], c[3] - c[0]);
    divide(m_geometry.detector.rows, c[0], c[3], c[1] - c[0]);
    // It begins at the lower left corner, where pixel (0, 0) is, just outside the pixels.
    const Vec3 across = c[1] - c[0];
    const Vec3 upwards = c[3] - c[0];
    const double reach =
        std::clamp(0.45 * std::min(length(across), length(upwards)), 0.1 * m_radius, m_radius);
    const Vec3 u = (reach / length(across)) * across;
    const Vec3 v = (reach / length(upwards)) * upwards;
    const Vec3 origin = c[0] - 0.15 * u - 0.15 * v;
    arrow(origin, origin + u, v, m_theme.accent);
    arrow(origin, origin + v, u, m_theme.accent);
    label(origin + 1.2 * u, "u", m_theme.accent);
    label(origin + 1.2 * v, "v", m_theme.accent);
}

void Builder::addCone() {
    const Vec3 source = m_pose.sourceMm;
    if (m_pose.isParallel) return addParallelRays();
    for (std::size_t i = 0; i < m_corners.size(); ++i) {
        m_shape.strong.addLine(source, m_corners[i], m_theme.warning);
        m_shape.faces.addTriangle(source, m_corners[i], m_corners[(i + 1) % m_corners.size()],
                                  translucent(m_theme.warning, kFaceAlpha / 2));
    }
    m_shape.fine.addDashes(source, m_pose.detectorCenterMm, 24, faint(m_theme.warning, 0.7));
    m_shape.solids.addSphere(source, 0.035 * m_radius, {-0.3, -0.4, 0.85}, m_theme.warning);
}

void Builder::addParallelRays() {
    const Vec3 back = m_pose.sourceMm - m_pose.detectorCenterMm;
    for (std::size_t i = 0; i < m_corners.size(); ++i) {
        const Vec3 corner = m_corners[i];
        const Vec3 next = m_corners[(i + 1) % m_corners.size()];
        m_shape.strong.addLine(corner + back, corner, m_theme.warning);
        m_shape.strong.addLine(corner + back, next + back, m_theme.warning);
        m_shape.faces.addQuad(corner + back, next + back, next, corner,
                              translucent(m_theme.warning, kFaceAlpha / 2));
    }
    m_shape.fine.addDashes(m_pose.sourceMm, m_pose.detectorCenterMm, 24,
                           faint(m_theme.warning, 0.7));
}

}  // namespace

std::array<Vec3, 4> detectorCorners(const ScanGeometry& geometry, Index view) {
    const ViewPose pose = drawnPose(geometry, view);
    const Vec3 u = (static_cast<double>(geometry.detector.columns) / 2) * pose.uStepMm;
    const Vec3 v = (static_cast<double>(geometry.detector.rows) / 2) * pose.vStepMm;
    const Vec3 centre = pose.detectorCenterMm;
    return {centre - u - v, centre + u - v, centre + u + v, centre - u + v};
}

double axisReachMm(const ScanGeometry& geometry) {
    constexpr double kShare = 0.45;
    return kShare * sourceDistances(geometry).toIsocenterMm;
}

double schematicRadiusMm(const ScanGeometry& geometry, const VolumeGrid& grid) {
    double radius = length(drawnPose(geometry, 0).sourceMm);
    for (const Vec3 corner : detectorCorners(geometry, 0))
        radius = std::max(radius, length(corner));
    for (const Vec3 corner : boxCorners(grid))
        radius = std::max(radius, length(corner));
    return radius;
}

double roundLength(double length) {
    if (!(length > 0) || !std::isfinite(length)) return 1;
    const double power = std::pow(10, std::floor(std::log10(length)));
    for (const double digit : {5.0, 2.0})
        if (digit * power <= length) return digit * power;
    return power;
}

SchematicShape schematicShape(const ScanGeometry& geometry, const VolumeGrid& grid, Index view,
                              const Theme& theme) {
    return Builder(geometry, grid, view, theme).build();
}

}  // namespace gantry
