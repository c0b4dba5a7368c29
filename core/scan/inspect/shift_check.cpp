#include "core/scan/inspect/shift_check.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

using Facts = std::vector<PictureFacts>;

// Views about a step that are compared, and how many of them are on either side at least.
constexpr Index kTrackSpan = 10;
constexpr Index kMinTrackAside = 3;

// A place of the object in each of the views that are looked at, in pixels.
struct Track {
    Eigen::VectorXd views;  // their numbers
    Eigen::VectorXd places;
};

struct TrackStep {
    double height = 0;
    double gain = 0;  // by how much better the step explains the places than none, squared
};

// The part of the places that a least-squares fit of these columns leaves.
Eigen::VectorXd restOf(const Eigen::MatrixXd& columns, const Eigen::VectorXd& places) {
    return places - columns * columns.colPivHouseholderQr().solve(places);
}

// What turns with the object goes away: a sine, and of a cone or a whole turn twice its frequency.
Track withoutTurning(const ScanGeometry& geometry, const Facts& facts, Track track) {
    const Index waves = geometry.coverageDeg() > 200 ? 2 : 1;
    Eigen::MatrixXd columns(track.places.size(), 1 + 2 * waves);
    for (Index i = 0; i < track.places.size(); ++i) {
        const double angle = radians(facts[i].angleDeg);
        columns(i, 0) = 1;
        for (Index wave = 1; wave <= waves; ++wave) {
            columns(i, 2 * wave - 1) = std::cos(static_cast<double>(wave) * angle);
            columns(i, 2 * wave) = std::sin(static_cast<double>(wave) * angle);
        }
    }
    track.places = restOf(columns, track.places);
    return track;
}

// The step behind the first so many of kTrackSpan places, beside a parabola.
TrackStep stepWithin(const Eigen::VectorXd& views, const Eigen::VectorXd& places, Index before) {
    const double middle = (views[0] + views[kTrackSpan - 1]) / 2;
    const double half = (views[kTrackSpan - 1] - views[0]) / 2;
    Eigen::MatrixXd columns(kTrackSpan, 4);
    for (Index i = 0; i < kTrackSpan; ++i) {
        const double at = (views[i] - middle) / half;
        columns.row(i) << 1, at, at * at, i < before ? 0 : 1;
    }
    const double without = restOf(columns.leftCols(3), places).squaredNorm();
    const Eigen::VectorXd fit = columns.colPivHouseholderQr().solve(places);
    const double with = (places - columns * fit).squaredNorm();
    return {fit[3], without / std::max(with, 1e-12)};
}

// Steps behind each of the places from kMinTrackAside − 1 on.
std::vector<TrackStep> trackSteps(const Track& track) {
    std::vector<TrackStep> steps;
    const Index count = track.views.size();
    for (Index at = kMinTrackAside; at + kMinTrackAside <= count; ++at) {
        const Index first = std::clamp<Index>(at - kTrackSpan / 2, 0, count - kTrackSpan);
        steps.push_back(stepWithin(track.views.segment(first, kTrackSpan),
                                   track.places.segment(first, kTrackSpan), at - first));
    }
    return steps;
}

// What steps usually are where there is none.
double usualTrackStep(const std::vector<TrackStep>& steps) {
    if (steps.empty()) return 0;
    std::vector<double> sizes;
    sizes.reserve(steps.size());
    for (const TrackStep& step : steps)
        sizes.push_back(std::abs(step.height));
    return 1.4826 * medianOf(std::move(sizes));
}

bool isClearStep(const TrackStep& step, double usual, double minPx) {
    constexpr double kMuch = 8;
    constexpr double kMinGain = 20;  // a single view that is off gives 2 or less
    return std::abs(step.height) > std::max(minPx, kMuch * usual) && step.gain > kMinGain;
}

// The step from the last view to the first one of a turn, one turn later.
TrackStep closingStep(const Track& track, Index viewsOfTurn) {
    constexpr Index kAside = kTrackSpan / 2;
    Eigen::VectorXd views(kTrackSpan);
    Eigen::VectorXd places(kTrackSpan);
    const auto turn = static_cast<double>(viewsOfTurn);
    views << track.views.tail(kAside), (track.views.head(kAside).array() + turn).matrix();
    places << track.places.tail(kAside), track.places.head(kAside);
    return stepWithin(views, places, kAside);
}

// The centre of the line integrals along the rows, above the air at both sides.
double centreAlongRows(const PictureFacts& fact) {
    const double air = (fact.left.level + fact.right.level) / 2;
    double sum = 0;
    double moment = 0;
    for (std::size_t u = 0; u < fact.alongU.size(); ++u) {
        sum += fact.alongU[u] - air;
        moment += (fact.alongU[u] - air) * static_cast<double>(u);
    }
    return sum > 0 ? moment / sum : 0;
}

Track trackOf(const ScanGeometry& geometry, const Facts& facts, const Eigen::VectorXd& places) {
    Track track;
    track.places = places;
    track.views.resize(places.size());
    for (Index i = 0; i < places.size(); ++i)
        track.views[i] = static_cast<double>(facts[i].view);
    return withoutTurning(geometry, facts, std::move(track));
}

Track alongRows(const ScanGeometry& geometry, const Facts& facts) {
    Eigen::VectorXd places(std::ssize(facts));
    for (Index i = 0; i < places.size(); ++i)
        places[i] = centreAlongRows(facts[i]);
    return trackOf(geometry, facts, places);
}

Track alongColumns(const ScanGeometry& geometry, const Facts& facts) {
    std::vector<double> mean(facts.front().alongV.size());
    for (const PictureFacts& fact : facts)
        for (std::size_t v = 0; v < mean.size(); ++v)
            mean[v] += fact.alongV[v] / static_cast<double>(facts.size());
    Eigen::VectorXd places(std::ssize(facts));
    for (Index i = 0; i < places.size(); ++i)
        places[i] = shiftBetween(mean, facts[i].alongV);
    return trackOf(geometry, facts, places);
}

// The track with one movement behind the first so many of its places: from then on everything that
// turns is elsewhere, so that its sine is another one.
struct Movement {
    std::size_t behind = 0;
    double sizePx = 0;
    double gain = 0;  // as of TrackStep
    double rms = 0;   // of what it leaves
};

// The movement that explains the places best, beside a slow drift.
Movement bestMovement(const Facts& facts, const Track& track) {
    const Index count = track.places.size();
    Eigen::MatrixXd columns(count, 10);
    Movement best;
    for (Index i = 0; i < count; ++i) {
        const double angle = radians(facts[i].angleDeg);
        const double time = 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
        columns.row(i) << 1, time, time * time, std::cos(angle), std::sin(angle),
            std::cos(2 * angle), std::sin(2 * angle), 0, 0, 0;
    }
    const double without = restOf(columns.leftCols(7), track.places).squaredNorm();
    for (Index before = kMinTrackAside + 1; before + kMinTrackAside < count; ++before) {
        for (Index i = 0; i < count; ++i)
            columns.row(i).tail(3) = (i < before ? 0 : 1) * columns.row(i)({0, 3, 4});
        const Eigen::VectorXd fit = columns.colPivHouseholderQr().solve(track.places);
        const double with = (track.places - columns * fit).squaredNorm();
        const double gain = without / std::max(with, 1e-12);
        if (gain <= best.gain) continue;
        best = {static_cast<std::size_t>(before), std::abs(fit[7]) + std::hypot(fit[8], fit[9]),
                gain, std::sqrt(with / static_cast<double>(count))};
    }
    return best;
}

double rounded(double px) {
    return std::round(10 * px) / 10 + 0.0;  // no "-0.0"
}

// The steps at one place: along the rows and along the columns.
std::string placeText(const Facts& facts, std::size_t at, double alongU, double alongV) {
    std::string how;
    if (alongU != 0) how = fmt::format("{:.1f} px along the rows", std::abs(alongU));
    if (alongV != 0)
        how += fmt::format("{}{:.1f} px along the columns", how.empty() ? "" : " and ",
                           std::abs(alongV));
    const std::size_t before = at + kMinTrackAside - 1;
    return fmt::format("by {} between views {} and {}", how, facts[before].view,
                       facts[before + 1].view);
}

Problem shiftProblem(std::string sentence) {
    return {Problem::Severity::warning, "projections.files", std::move(sentence)};
}

// Sudden shifts, one to four.
std::optional<Problem> suddenShifts(const Facts& facts, const std::vector<TrackStep>& alongU,
                                    const std::vector<TrackStep>& alongV) {
    constexpr double kMinPx = 0.3;
    constexpr std::size_t kMax = 4;
    const double usualU = usualTrackStep(alongU);
    const double usualV = usualTrackStep(alongV);
    const auto heightAt = [&](const std::vector<TrackStep>& steps, double usual, std::size_t at) {
        if (steps.empty() || !isClearStep(steps[at], usual, kMinPx)) return 0.0;
        const std::size_t from = at - std::min<std::size_t>(at, kTrackSpan / 2);
        const std::size_t end = std::min(steps.size(), at + kTrackSpan / 2 + 1);
        for (std::size_t i = from; i < end; ++i)
            if (std::abs(steps[i].height) > std::abs(steps[at].height)) return 0.0;
        return steps[at].height;
    };
    std::vector<std::string> places;
    for (std::size_t at = 0; at < std::max(alongU.size(), alongV.size()); ++at) {
        const double u = heightAt(alongU, usualU, at);
        const double v = heightAt(alongV, usualV, at);
        if (u != 0 || v != 0) places.push_back(placeText(facts, at, u, v));
    }
    if (places.empty() || places.size() > kMax) return std::nullopt;
    std::string text;
    for (const std::string& place : places)
        text += (text.empty() ? "" : ", and ") + place;
    return shiftProblem(
        fmt::format("the object or the detector moved {}; edges come out double. Scan again, or "
                    "leave out the views of {} with skipViews if the others are enough",
                    text, places.size() == 1 ? "one side of it" : "the shorter stretch"));
}

// A single movement across the axis that hardly shows in the view where it happened, as it went
// along the rays there.
std::optional<Problem> movementAcross(const Facts& facts, const Track& rows) {
    constexpr double kMinPx = 0.3;
    constexpr double kMinGain = 20;  // a drift of a pixel gives 11
    const Movement movement = bestMovement(facts, rows);
    if (movement.gain < kMinGain || movement.sizePx < std::max(kMinPx, 4 * movement.rms))
        return std::nullopt;
    return shiftProblem(fmt::format(
        "the object or the detector moved by {:.1f} px across the rotation axis between views {} "
        "and {}; edges come out double. Scan again, or leave out the views of one side of it with "
        "skipViews if the others are enough",
        movement.sizePx, facts[movement.behind - 1].view, facts[movement.behind].view));
}

// A movement over a whole turn.
std::optional<Problem> shiftOverTurn(const ScanGeometry& geometry, const Track& rows,
                                     const Track& columns) {
    constexpr double kMovedPx = 1;
    const auto moved = [&](const Track& track) {
        if (track.views.size() == 0) return 0.0;
        const TrackStep step = closingStep(track, geometry.views());
        return isClearStep(step, usualTrackStep(trackSteps(track)), 0) ? rounded(-step.height)
                                                                       : 0.0;
    };
    const double alongU = moved(rows);
    const double alongV = moved(columns);
    if (std::hypot(alongU, alongV) <= kMovedPx) return std::nullopt;
    return shiftProblem(
        fmt::format("the object moved by {:.1f} px along the rows and {:.1f} px along the columns "
                    "between the first view and the last, which show the same side; edges come "
                    "out double. Scan again, or leave the views after the movement out",
                    alongU, alongV));
}

}  // namespace

// The least variance of the difference, with a parabola through the best three.
double shiftBetween(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<int>(a.size());
    const int max = std::max(2, n / 8);
    const auto mismatch = [&](int shift) {
        double sum = 0;
        double squares = 0;
        for (int i = max; i < n - max; ++i) {
            const int shifted = i + shift;
            const double d = a[i] - b[shifted];
            sum += d;
            squares += d * d;
        }
        return squares - sum * sum / std::max(1, n - 2 * max);
    };
    int best = 0;
    for (int shift = -max; shift <= max; ++shift)
        if (mismatch(shift) < mismatch(best)) best = shift;
    if (std::abs(best) == max) return best;
    const double before = mismatch(best - 1);
    const double here = mismatch(best);
    const double after = mismatch(best + 1);
    const double curve = before - 2 * here + after;
    return curve > 0 ? best + (before - after) / (2 * curve) : best;
}

// Calibrated poses have the object's movement in them.
std::optional<Problem> checkShifts(const ScanGeometry& geometry, const Facts& facts,
                                   double contrast) {
    if (geometry.poses() || !geometry.hasAngles() || std::ssize(facts) < 2 * kTrackSpan)
        return std::nullopt;
    const bool isCutOff = std::ranges::any_of(facts, [&](const PictureFacts& fact) {
        return isObject(fact.left, contrast) || isObject(fact.right, contrast);
    });
    const Track rows = isCutOff ? Track() : alongRows(geometry, facts);
    // A detector of a few rows shows nothing along the axis.
    const bool hasColumns = facts.front().alongV.size() >= 16;
    const Track columns = hasColumns ? alongColumns(geometry, facts) : Track();
    if (auto sudden = suddenShifts(facts, trackSteps(rows), trackSteps(columns))) return sudden;
    if (!isCutOff)
        if (auto across = movementAcross(facts, rows)) return across;
    if (!geometry.isFullCircle() || geometry.coverageDeg() > 365) return std::nullopt;
    return shiftOverTurn(geometry, rows, columns);
}

}  // namespace gantry
