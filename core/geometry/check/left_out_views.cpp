#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/geometry/scan_geometry.h"

namespace gantry {

namespace {

// The views of a scan in the order of their angles, some of them left out.
class ViewsInOrder {
  public:
    ViewsInOrder(const ScanGeometry& geometry, const std::vector<bool>& isLeftOut);

    // Each view's share, in the scan's own order; the shares of left-out views go to the others.
    [[nodiscard]] std::vector<double> shares() const;

  private:
    // The remaining neighbour of a view that is left out.
    struct Neighbour {
        std::size_t place;  // in m_order
        double distanceDeg;
    };
    // The nearest remaining view in steps of +1 or −1; none beyond the end of an open arc: place is
    // then the number of views.
    [[nodiscard]] Neighbour neighbour(std::size_t place, int step) const;

    const std::vector<bool>& m_isLeftOut;
    std::vector<double> m_anglesDeg;
    std::vector<double> m_sharesDeg;
    std::vector<std::size_t> m_order;
    double m_turnsDeg = 0;  // 0: an open arc
};

ViewsInOrder::ViewsInOrder(const ScanGeometry& geometry, const std::vector<bool>& isLeftOut)
    : m_isLeftOut(isLeftOut),
      m_anglesDeg(isLeftOut.size()),
      m_sharesDeg(angularWeightsRad(geometry)),
      m_order(isLeftOut.size()) {
    for (std::size_t s = 0; s < isLeftOut.size(); ++s) {
        m_anglesDeg[s] = geometry.angleDeg(static_cast<Index>(s));
        m_sharesDeg[s] = degrees(m_sharesDeg[s]);
    }
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    std::ranges::sort(
        m_order, [&](std::size_t a, std::size_t b) { return m_anglesDeg[a] < m_anglesDeg[b]; });
    m_turnsDeg = geometry.closesAfterDeg();
}

ViewsInOrder::Neighbour ViewsInOrder::neighbour(std::size_t place, int step) const {
    const std::size_t count = m_order.size();
    double turnsDeg = 0;
    for (std::size_t at = place;;) {
        const bool isAtEnd = step > 0 ? at + 1 == count : at == 0;
        if (isAtEnd && m_turnsDeg == 0) return {count, 0};
        if (isAtEnd) turnsDeg += m_turnsDeg;
        at = isAtEnd ? (step > 0 ? 0 : count - 1) : (step > 0 ? at + 1 : at - 1);
        if (m_isLeftOut[m_order[at]]) continue;
        return {at, step * (m_anglesDeg[m_order[at]] - m_anglesDeg[m_order[place]]) + turnsDeg};
    }
}

std::vector<double> ViewsInOrder::shares() const {
    std::vector<double> shares = m_sharesDeg;
    for (std::size_t place = 0; place < m_order.size(); ++place) {
        const std::size_t view = m_order[place];
        if (!m_isLeftOut[view]) continue;
        const Neighbour before = neighbour(place, -1);
        const Neighbour after = neighbour(place, +1);
        const bool isAtBegin = before.place == m_order.size();
        const bool isAtEnd = after.place == m_order.size();
        const double between = before.distanceDeg + after.distanceDeg;
        const double toAfter = isAtBegin     ? 1
                               : isAtEnd     ? 0
                               : between > 0 ? before.distanceDeg / between
                                             : 0.5;
        if (!isAtEnd) shares[m_order[after.place]] += toAfter * m_sharesDeg[view];
        if (!isAtBegin) shares[m_order[before.place]] += (1 - toAfter) * m_sharesDeg[view];
        shares[view] = 0;
    }
    return shares;
}

}  // namespace

std::vector<double> angularWeightsRad(const ScanGeometry& geometry,
                                      const std::vector<Index>& leftOut) {
    if (leftOut.empty()) return angularWeightsRad(geometry);
    std::vector<bool> isLeftOut(geometry.views());
    for (const Index view : leftOut) {
        require(view >= 0 && view < geometry.views(), "a view that is not there was left out");
        isLeftOut[view] = true;
    }
    require(std::ranges::find(isLeftOut, false) != isLeftOut.end(),
            "all views of a scan were left out");
    std::vector<double> weights = ViewsInOrder(geometry, isLeftOut).shares();
    for (double& weight : weights)
        weight = radians(weight);
    return weights;
}

}  // namespace gantry
