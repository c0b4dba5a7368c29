#include "ui/panels/slices/measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/models/text.h"

namespace gantry {
namespace {

std::array<double, 3> coordinates(Vec3 place) {
    return {place.x, place.y, place.z};
}

double angleDeg(Vec3 from, Vec3 vertex, Vec3 to) {
    const Vec3 a = from - vertex;
    const Vec3 b = to - vertex;
    return degrees(std::atan2(length(cross(a, b)), dot(a, b)));
}

}  // namespace

std::size_t pointsOf(MeasureKind kind) {
    return kind == MeasureKind::angle ? 3 : 2;
}

RegionBox regionOf(const SliceMeasure& region) {
    RegionBox box;
    const auto a = coordinates(region.points[0]);
    const auto b = coordinates(region.points[1]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.lowMm[axis] = std::min(a[axis], b[axis]);
        box.highMm[axis] = std::max(a[axis], b[axis]);
    }
    return box;
}

SliceMeasure withRegion(SliceMeasure region, const RegionBox& box) {
    const auto& low = box.lowMm;
    const auto& high = box.highMm;
    region.points = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return region;
}

QString sizeOf(const SliceMeasure& measurement) {
    const std::vector<Vec3>& points = measurement.points;
    switch (measurement.kind) {
        case MeasureKind::distance:
        case MeasureKind::profile:
            break;
        case MeasureKind::angle:
            return QStringLiteral("%1°").arg(angleDeg(points[0], points[1], points[2]), 0, 'f', 1);
        case MeasureKind::region: {
            const RegionBox box = regionOf(measurement);
            return lengthsText({box.highMm[0] - box.lowMm[0], box.highMm[1] - box.lowMm[1],
                                box.highMm[2] - box.lowMm[2]});
        }
    }
    return lengthText(length(points[1] - points[0]));
}

bool liesIn(const SliceMeasure& measurement, const PlaneRaster& slice) {
    constexpr double kRounding = 1e-6;  // of mm
    if (measurement.kind == MeasureKind::region) {
        // The corners of a box are on both sides of a plane that cuts it.
        const std::array<double, 3> half =
            coordinates(0.5 * (measurement.points[1] - measurement.points[0]));
        const std::array<double, 3> normal = coordinates(slice.normalStepMm);
        const double squared = dot(slice.normalStepMm, slice.normalStepMm);
        double reach = kRounding;
        for (std::size_t axis = 0; axis < 3; ++axis)
            reach += std::abs(half[axis] * normal[axis]) / squared;
        const Vec3 middle = 0.5 * (measurement.points[0] + measurement.points[1]);
        return std::abs(slice.slicesTo(middle)) <= reach;
    }
    return std::ranges::all_of(measurement.points, [&](Vec3 point) {
        return std::abs(slice.slicesTo(point)) <= 0.5 + kRounding;
    });
}

const SliceMeasure* Measurements::chosen() const {
    if (!m_chosen) return nullptr;
    const auto found = std::ranges::find(m_now.all, *m_chosen, &SliceMeasure::id);
    return found == m_now.all.end() ? nullptr : &*found;
}

void Measurements::choose(std::optional<int> id) {
    if (id == m_chosen) return;
    m_chosen = id;
    emit changed();
    emit chosenEdited();
}

void Measurements::setTool(std::optional<MeasureKind> tool) {
    if (tool == m_tool) return;
    m_tool = tool;
    emit toolChanged();
}

void Measurements::settle() {
    if (m_now == m_settled) return;
    m_before.push_back(std::exchange(m_settled, m_now));
    m_undone.clear();
}

void Measurements::settleMeasured() {
    if (m_now == m_settled) return;
    settle();
    emit changed();
    emit chosenEdited();
}

void Measurements::add(MeasureKind kind, std::vector<Vec3> points) {
    m_now.all.push_back({++m_lastId, kind, std::move(points), {}});
    m_chosen = m_lastId;
    settleMeasured();
    setTool({});
}

void Measurements::edit(const SliceMeasure& measurement, bool isFinal) {
    const auto found = std::ranges::find(m_now.all, measurement.id, &SliceMeasure::id);
    if (found == m_now.all.end()) return;
    *found = measurement;
    m_figures.erase(measurement.id);
    emit changed();
    if (isFinal) settleMeasured();
}

void Measurements::removeChosen() {
    if (!m_chosen) return;
    std::erase_if(m_now.all, [&](const SliceMeasure& one) { return one.id == *m_chosen; });
    m_chosen.reset();
    settleMeasured();
}

void Measurements::setOblique(const ObliqueAngles& angles, bool isFinal) {
    const bool isOther = angles != m_now.oblique;
    m_now.oblique = angles;
    if (isFinal) settle();
    if (isOther) emit obliqueChanged();
}

void Measurements::setScale(const ValueScale& scale) {
    if (scale == m_now.scale) return;
    m_now.scale = scale;
    settle();
    emit scaleChanged();
}

void Measurements::takeScale(const ValueScale& scale) {
    if (scale == m_now.scale) return;
    for (std::vector<State>* states : {&m_before, &m_undone})
        for (State& state : *states)
            state.scale = scale;
    m_now.scale = m_settled.scale = scale;
}

void Measurements::show(const State& state) {
    for (const SliceMeasure& before : m_now.all)
        if (std::ranges::find(state.all, before) == state.all.end()) m_figures.erase(before.id);
    const bool isRescaled = state.scale != m_now.scale;
    m_now = state;
    emit changed();
    emit chosenEdited();
    emit obliqueChanged();
    if (isRescaled) emit scaleChanged();
}

void Measurements::undo() {
    if (m_before.empty()) return;
    m_undone.push_back(std::exchange(m_settled, m_before.back()));
    m_before.pop_back();
    show(m_settled);
}

void Measurements::redo() {
    if (m_undone.empty()) return;
    m_before.push_back(std::exchange(m_settled, m_undone.back()));
    m_undone.pop_back();
    show(m_settled);
}

void Measurements::setFigure(int id, const QString& text) {
    m_figures[id] = text;
    emit changed();
}

QString Measurements::figure(int id) const {
    const auto found = m_figures.find(id);
    return found == m_figures.end() ? QString() : found->second;
}

void Measurements::clear() {
    m_before.clear();
    m_undone.clear();
    m_now.all.clear();
    m_settled = m_now;
    m_chosen.reset();
    forgetFigures();
}

void Measurements::forgetFigures() {
    m_figures.clear();
    emit changed();
    emit chosenEdited();
}

}  // namespace gantry
