#include "core/align/finders.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "core/align/fitted_line.h"

namespace gantry {

namespace {

constexpr int kTiltHeights = 7;
constexpr double kTiltHeightShare = 0.9;
// What of a slice may not be the middle one, scaled, shifted and made denser.
constexpr double kMaxUnlike = 0.05;
constexpr double kStepDeg = 1;

struct Likeness {
    double growth = 0;  // of the cross-section against the middle one's, relative
    double unlike = 0;  // share of the slice that the middle one does not explain
};

// Least squares for f ≈ a·m + growth·(−x·∇m) + shift·∇m.
std::optional<Likeness> likeness(Span3<const float> slice, Span3<const float> middle) {
    Eigen::Matrix4d square = Eigen::Matrix4d::Zero();
    Eigen::Vector4d right = Eigen::Vector4d::Zero();
    double energy = 0;
    const double halfX = static_cast<double>(middle.size(2) - 1) / 2;
    const double halfY = static_cast<double>(middle.size(1) - 1) / 2;
    for (Index y = 1; y + 1 < middle.size(1); ++y)
        for (Index x = 1; x + 1 < middle.size(2); ++x) {
            const double dx = static_cast<double>(x) - halfX;
            const double dy = static_cast<double>(y) - halfY;
            const double radius = std::pow(dx / halfX, 2) + std::pow(dy / halfY, 2);
            if (radius > 0.95 * 0.95) continue;
            const double alongX = (middle(0, y, x + 1) - middle(0, y, x - 1)) / 2;
            const double alongY = (middle(0, y + 1, x) - middle(0, y - 1, x)) / 2;
            const Eigen::Vector4d terms(middle(0, y, x), -(dx * alongX + dy * alongY), alongX,
                                        alongY);
            const double value = slice(0, y, x);
            energy += value * value;
            right += value * terms;
            square += terms * terms.transpose();
        }
    const Eigen::LDLT<Eigen::Matrix4d> solved(square);
    if (!(solved.vectorD().minCoeff() > 0 && energy > 0)) return std::nullopt;
    const Eigen::Vector4d factors = solved.solve(right);
    return Likeness{factors[1] / factors[0], 1 - factors.dot(right) / energy};
}

// How the cross-section grows with the height, 1/mm; none where it is not the same at all heights.
std::optional<FittedLine> taper(QuickSlices& slices, const MatricesAt& matricesAt,
                                const Misalignment& with, const std::stop_token& stop) {
    const std::vector<double> heights = slices.heightsMm(kTiltHeights, kTiltHeightShare);
    const auto pictures = slices.render(matricesAt(with), heights, stop);
    std::vector<double> growth;
    growth.reserve(pictures.size());
    for (const Span3<const float>& picture : pictures) {
        const std::optional<Likeness> found = likeness(picture, pictures[kTiltHeights / 2]);
        if (!found || !(found->unlike < kMaxUnlike)) return std::nullopt;
        growth.push_back(found->growth);
    }
    return fittedLine(heights, growth, std::vector<double>(heights.size(), 1.0));
}

}  // namespace

Finding tiltFromStraightPart(QuickSlices& slices, const MatricesAt& matricesAt,
                             const Misalignment& about, const std::stop_token& stop) {
    Finding finding;
    finding.reason =
        "only a straight part along the rotation axis shows the tilt, such as a rod, a tube or a "
        "cylinder: another object may be tapered as a tilt makes it seem";
    Misalignment tried = about;
    for (int i = 0; i < 2; ++i) {
        const std::optional<FittedLine> here = taper(slices, matricesAt, tried, stop);
        Misalignment other = tried;
        other.tiltDeg += kStepDeg;
        const std::optional<FittedLine> there = taper(slices, matricesAt, other, stop);
        if (!here || !there) return finding;
        const double perDegree = (there->slope - here->slope) / kStepDeg;
        tried.tiltDeg -= here->slope / perDegree;
        finding.uncertainty = std::abs(here->slopeDeviation / perDegree);
    }
    if (!(finding.uncertainty < kMinCertainTiltDeg)) {
        finding.reason = "the straight part is too short in the picture to show the tilt";
        return finding;
    }
    finding.isFound = true;
    finding.value = tried.tiltDeg;
    finding.reason = "the cross-section of a straight part at several heights";
    return finding;
}

}  // namespace gantry
