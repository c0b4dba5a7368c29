#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/base/throw_error.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/exchange/rtk_projection.h"
#include "core/geometry/views/circular_view.h"

namespace gantry {

namespace {

class XmlText {
  public:
    void line(int depth, std::string_view text) {
        m_text.append(2 * static_cast<std::size_t>(depth), ' ').append(text) += '\n';
    }
    void number(int depth, std::string_view tag, double value) {
        line(depth, fmt::format("<{0}>{1}</{0}>", tag, value));
    }
    [[nodiscard]] std::string take() && { return std::move(m_text); }

  private:
    std::string m_text;
};

// What all projections share; the gantry angle is that of a view at 0°.
RtkProjection commonProjection(const ScanGeometry& geometry) {
    RtkProjection common = rtkProjection(viewPoseAt(geometry, 0));
    common.gantryDeg = withoutRounding(common.gantryDeg);
    for (const RtkTag& tag : kRtkTags)
        common.*tag.value = withoutRounding(common.*tag.value);
    return common;
}

double inOneTurn(double angleDeg) {
    const double wrapped = std::fmod(angleDeg, 360);
    const double positive = wrapped < 0 ? wrapped + 360 : wrapped;
    return positive < 360 ? positive + 0 : 0;
}

void writeProjection(XmlText& xml, const RtkProjection& projection, bool withParameters) {
    xml.line(1, "<Projection>");
    xml.number(2, "GantryAngle", projection.gantryDeg);
    // A tag that a projection lacks would be inherited.
    for (const RtkTag& tag : kRtkTags)
        if (withParameters) xml.number(2, tag.name, projection.*tag.value);
    xml.line(2, "<Matrix>");
    for (const auto& row : rtkMatrix(projection))
        xml.line(3, fmt::format("{} {} {} {}", row[0], row[1], row[2], row[3]));
    xml.line(2, "</Matrix>");
    xml.line(1, "</Projection>");
}

void requireOnePitch(const ScanGeometry& geometry, const CalibratedPoses& poses) {
    constexpr double kSame = 1e-9;
    const std::vector<PoseParameters>& views = poses.meanCircle().views;
    for (std::size_t s = 0; s < views.size(); ++s)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const double mean = geometry.detector.pitchMm[axis];
            if (std::abs(views[s].pitchMm[axis] - mean) <= kSame * mean) continue;
            throwError<InputError>(
                "RTK has one pitch for all images: view {} has {:.10g} mm along {} and the mean is "
                "{:.10g} mm. Export ASTRA vectors instead.",
                s, views[s].pitchMm[axis], axis == 0 ? "u" : "v", mean);
        }
}

void writePoses(XmlText& xml, const ScanGeometry& geometry, const CalibratedPoses& poses) {
    requireOnePitch(geometry, poses);
    for (Index s = 0; s < geometry.views(); ++s)
        writeProjection(xml, rtkProjection(viewPose(geometry, s)), true);
}

void writeCircle(XmlText& xml, const ScanGeometry& geometry) {
    const RtkProjection common = commonProjection(geometry);
    for (const RtkTag& tag : kRtkTags)
        if (common.*tag.value != 0) xml.number(1, tag.name, common.*tag.value);
    for (Index s = 0; s < geometry.views(); ++s) {
        RtkProjection projection = common;
        projection.gantryDeg = inOneTurn(geometry.angleDeg(s) + common.gantryDeg);
        writeProjection(xml, projection, false);
    }
}

}  // namespace

std::string toRtkXml(const ScanGeometry& geometry) {
    XmlText xml;
    xml.line(0, "<?xml version=\"1.0\"?>");
    xml.line(0, "<!DOCTYPE RTKGEOMETRY>");
    xml.line(0, "<RTKThreeDCircularGeometry version=\"3\">");
    if (const CalibratedPoses* poses = geometry.poses())
        writePoses(xml, geometry, *poses);
    else
        writeCircle(xml, geometry);
    xml.line(0, "</RTKThreeDCircularGeometry>");
    return std::move(xml).take();
}

}  // namespace gantry
