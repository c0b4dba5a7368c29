#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "core/geometry/circular_view.h"
#include "core/geometry/exchange.h"
#include "core/geometry/rtk_projection.h"

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
    // RTK takes a tag that is missing for 0.
    void numberUnlessZero(std::string_view tag, double value) {
        if (value != 0) number(1, tag, value);
    }
    [[nodiscard]] std::string take() && { return std::move(m_text); }

  private:
    std::string m_text;
};

// What all projections share; the gantry angle is that of a view at 0°.
RtkProjection commonProjection(const ScanGeometry& geometry) {
    RtkProjection common = rtkProjection(viewPoseAt(geometry, 0));
    for (double RtkProjection::*value :
         {&RtkProjection::gantryDeg, &RtkProjection::inPlaneDeg, &RtkProjection::outOfPlaneDeg,
          &RtkProjection::sourceToIsocenter, &RtkProjection::sourceToDetector,
          &RtkProjection::sourceOffsetX, &RtkProjection::sourceOffsetY,
          &RtkProjection::projectionOffsetX, &RtkProjection::projectionOffsetY})
        common.*value = withoutRounding(common.*value);
    return common;
}

double inOneTurn(double angleDeg) {
    const double wrapped = std::fmod(angleDeg, 360);
    const double positive = wrapped < 0 ? wrapped + 360 : wrapped;
    return positive < 360 ? positive + 0 : 0;
}

void writeProjection(XmlText& xml, const RtkProjection& projection) {
    xml.line(1, "<Projection>");
    xml.number(2, "GantryAngle", projection.gantryDeg);
    xml.line(2, "<Matrix>");
    for (const auto& row : rtkMatrix(projection))
        xml.line(3, fmt::format("{} {} {} {}", row[0], row[1], row[2], row[3]));
    xml.line(2, "</Matrix>");
    xml.line(1, "</Projection>");
}

}  // namespace

std::string toRtkXml(const ScanGeometry& geometry) {
    const RtkProjection common = commonProjection(geometry);
    XmlText xml;
    xml.line(0, "<?xml version=\"1.0\"?>");
    xml.line(0, "<!DOCTYPE RTKGEOMETRY>");
    xml.line(0, "<RTKThreeDCircularGeometry version=\"3\">");
    xml.numberUnlessZero("SourceToIsocenterDistance", common.sourceToIsocenter);
    xml.numberUnlessZero("SourceToDetectorDistance", common.sourceToDetector);
    xml.numberUnlessZero("SourceOffsetX", common.sourceOffsetX);
    xml.numberUnlessZero("SourceOffsetY", common.sourceOffsetY);
    xml.numberUnlessZero("ProjectionOffsetX", common.projectionOffsetX);
    xml.numberUnlessZero("ProjectionOffsetY", common.projectionOffsetY);
    xml.numberUnlessZero("InPlaneAngle", common.inPlaneDeg);
    xml.numberUnlessZero("OutOfPlaneAngle", common.outOfPlaneDeg);
    for (Index s = 0; s < geometry.views(); ++s) {
        RtkProjection projection = common;
        projection.gantryDeg = inOneTurn(geometry.angleDeg(s) + common.gantryDeg);
        writeProjection(xml, projection);
    }
    xml.line(0, "</RTKThreeDCircularGeometry>");
    return std::move(xml).take();
}

}  // namespace gantry
