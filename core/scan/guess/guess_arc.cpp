#include "core/scan/guess/guess_arc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "core/geometry/scan_geometry.h"
#include "core/scan/guess/guess_axis.h"

namespace gantry {

namespace {

// Two views are alike within about one and a half steps, and far closer than unrelated views.
constexpr double kMaxSteps = 2.5;
constexpr double kMaxOfFar = 0.1;

class ViewComparison {
  public:
    explicit ViewComparison(const StripReader& strips) : m_strips(strips) {}

    [[nodiscard]] Index count() const { return m_strips.views(); }
    [[nodiscard]] Index last() const { return count() - 1; }
    // The view after that many eighths of the trajectory.
    [[nodiscard]] Index at(Index eighths) const { return eighths * count() / 8; }

    // The number of values in a strip.
    [[nodiscard]] Index values() { return strip(0).rows * strip(0).columns; }
    [[nodiscard]] double apart(Index a, Index b) { return distance(strip(a), strip(b)); }
    [[nodiscard]] MirrorMatch mirrored(Index a, Index b) { return mirrorMatch(strip(a), strip(b)); }
    // Mean distance between views that are `many` steps apart, measured at two places.
    [[nodiscard]] double steps(Index a, Index b, Index many = 1) {
        const auto near = [&](Index view) {
            return apart(view, view + (view + many <= last() ? many : -many));
        };
        return (near(a) + near(b)) / 2;
    }
    // A typical distance between views of unrelated directions.
    [[nodiscard]] double far() {
        return median({apart(0, at(1)), apart(0, at(2)), apart(0, at(3)), apart(0, at(5))});
    }
    [[nodiscard]] double farMirrored() {
        return median({mirrored(0, at(1)).distance, mirrored(0, at(2)).distance,
                       mirrored(0, at(3)).distance, mirrored(0, at(6)).distance});
    }

  private:
    [[nodiscard]] static double median(std::vector<double> values) {
        std::ranges::sort(values);
        return (values[1] + values[2]) / 2;
    }
    [[nodiscard]] const RowStrip& strip(Index view) {
        const auto found = m_read.find(view);
        return found != m_read.end() ? found->second
                                     : m_read.emplace(view, m_strips.read(view)).first->second;
    }

    const StripReader& m_strips;
    std::map<Index, RowStrip> m_read;
};

bool isAlike(double distance, double step, double far) {
    return distance <= kMaxSteps * step && distance <= kMaxOfFar * far;
}

// The squared distance between two views: noise, which two exposures of one view have as well, plus
// `perStep` times the square of the number of steps between them.
struct StepModel {
    double noise = 0;
    double perStep = 0;

    // The number of steps between two views with this squared distance.
    [[nodiscard]] double stepsOf(double distance) const {
        return std::sqrt(std::max(0.0, distance - noise) / std::max(perStep, 1e-30));
    }
    // Whether one step is significant against the noise of a distance over that many values, which
    // are smoothed and so not independent.
    [[nodiscard]] bool showsSteps(Index values) const {
        constexpr double kSmoothing = 6;
        return perStep > 4 * noise * std::sqrt(kSmoothing / static_cast<double>(values));
    }
};

StepModel stepModel(ViewComparison& views) {
    const double one = views.steps(0, views.last());
    const double two = views.steps(0, views.last(), 2);
    return {std::max(0.0, (4 * one - two) / 3), std::max(0.0, (two - one) / 3)};
}

// The number of steps that are missing from the last view to the first one's mirror image.
struct StepsShort {
    double steps = 0;
    bool isSure = false;  // significant against the noise, and the views before it agree
};

// The distance between a view and the mirror image of another grows with the number of steps by
// which the two miss half a turn. The match hides a part of a step, but the same part for all
// views. The square roots of these distances lie near a line over the view's number; extrapolated
// to the last view, it gives the number of steps that are missing.
StepsShort stepsShortOfHalf(ViewComparison& views, double endDistance) {
    const StepModel model = stepModel(views);
    const Index last = views.last();
    const Index every = std::max<Index>(1, (last + 31) / 60);  // at about 3° each
    std::array<double, 4> roots{};
    for (std::size_t j = 0; j < roots.size(); ++j) {
        const Index between = (static_cast<Index>(j) + 1) * every;
        constexpr Index kPairs = 5;
        double mean = 0;
        for (Index i = 0; i < kPairs; ++i) {
            const Index first = (i * between + 2) / (kPairs - 1);
            mean += views.mirrored(first, last - (between - first)).distance / kPairs;
        }
        roots[j] = std::sqrt(std::max(0.0, mean - model.noise));
    }
    const auto [r1, r2, r3, r4] = roots;
    const double bend = (r1 - r2 - r3 + r4) / 4;
    const double middleSlope = (1.5 * (r4 - r1) + 0.5 * (r3 - r2)) / 5;
    const double slope = (middleSlope - 5 * bend) / static_cast<double>(every);
    if (slope <= 0) return {};
    const double atEnd = (r1 + r2 + r3 + r4) / 4 + 5 * bend - 2.5 * middleSlope;
    const StepModel mirrored = {model.noise, slope * slope};
    const double steps = mirrored.stepsOf(endDistance);
    constexpr double kMinOfStep = 0.05;  // of what a step is without the mirror
    constexpr double kMaxOff = 0.75;
    constexpr double kMax = 1.8;
    const bool isSure = mirrored.showsSteps(views.values()) &&
                        mirrored.perStep > kMinOfStep * model.perStep &&
                        std::abs(atEnd / slope - steps) < kMaxOff && steps < kMax;
    return {steps, isSure};
}

void takeHalfTurn(ViewComparison& views, const MirrorMatch& end, ArcGuess& guess) {
    const Index last = views.last();
    const auto count = static_cast<double>(views.count());
    const StepsShort found = stepsShortOfHalf(views, end.distance);
    // Without evidence, 181 or 721 views are taken for scans that include both ends of the arc.
    const bool hasBoth = found.isSure ? found.steps < 0.5 : last % 90 == 0;
    guess.isParallel = true;
    guess.isSure = found.isSure;
    guess.arcDeg = hasBoth ? 180 * count / (count - 1) : 180;
    if (found.isSure)
        guess.arcReason =
            hasBoth ? "The last view is the mirror image of the first, at 180° in a parallel beam: "
                      "both ends of half a turn are there"
                    : "The last view is one step short of the mirror image of the first: half a "
                      "turn of a parallel beam";
    else
        guess.arcReason = fmt::format(
            "Not sure: the last view is nearly the mirror image of the first, so it is half a turn "
            "of a parallel beam, but whether the last is at 180° or one step short of it does not "
            "show. This is for {}",
            hasBoth ? "both ends" : "one step short");
    // The more steps from opposite, the farther the column moves from the axis.
    const double next = (views.mirrored(1, last).column + views.mirrored(0, last - 1).column) / 2;
    const double steps = found.isSure ? std::min(found.steps, 1.0) : hasBoth ? 0 : 1;
    guess.axisColumn = end.column + steps * (end.column - next);
}

// Finds the axis in a full turn: opposite views are mirror images of each other in a parallel beam.
void findAxisOfTurn(ViewComparison& views, double farMirrored, ArcGuess& guess) {
    double columns = 0;
    const Index half = views.count() / 2;
    const Index odd = views.count() % 2;
    for (const Index first : {Index{0}, views.at(1), views.at(2)}) {
        // With an odd number of views, the opposite one lies between two.
        for (const Index second : {first + half, first + half + odd}) {
            const MirrorMatch match = views.mirrored(first, second);
            if (!isAlike(match.distance, views.steps(first, second), farMirrored)) return;
            columns += match.column / 6;
        }
    }
    guess.isParallel = true;
    guess.mayBeSmallFan = true;
    guess.axisColumn = columns;
}

void compareEnds(ViewComparison& views, ArcGuess& guess) {
    const Index last = views.last();
    const double step = views.steps(0, last);
    const double farMirrored = views.farMirrored();
    const MirrorMatch end = views.mirrored(0, last);
    const double closed = views.apart(0, last);
    const bool isTurn = isAlike(closed, step, views.far());
    const bool isHalf = isAlike(end.distance, step, farMirrored);
    if (isHalf && !isTurn) return takeHalfTurn(views, end, guess);
    if (!isTurn) return;
    // If the first view is its own mirror image, its match shows nothing; unrelated views decide.
    constexpr double kOpposite = 0.25;  // in a cone beam they are not quite mirror images
    if (isHalf && views.mirrored(views.at(1), views.at(5)).distance > kOpposite * farMirrored)
        return;
    const StepModel model = stepModel(views);
    const bool repeats = model.stepsOf(closed) < 0.5;
    guess.isSure = true;
    // The arc reaches one step beyond the last view.
    const auto count = static_cast<double>(views.count());
    guess.arcDeg = repeats ? 360 * count / (count - 1) : 360;
    guess.arcReason = repeats ? "The last view is the first one again: a full turn"
                              : "The last view is one step short of the first: a full turn";
    findAxisOfTurn(views, farMirrored, guess);
}

// An object that passes one edge alone is scanned about an axis near it.
void judgeEdges(const StripReader& strips, ArcGuess& guess) {
    const std::string edge = guess.axisColumn ? "" : edgePassedAlone(strips);
    if (edge.empty()) return;
    if (const auto axis = guess.isSure ? findEdgeAxis(strips) : std::nullopt) {
        guess.axisColumn = axis->column;
        guess.axisDoubt = fmt::format(
            "only about {} columns at the {} edge see the object from both sides, as in a half "
            "acquisition",
            axis->seenTwice, edge);
        return;
    }
    guess.axisDoubt = fmt::format(
        "the object passes the {} edge of the detector alone: of a half acquisition the axis is "
        "near that edge, and the volume would be wrong",
        edge);
}

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

struct NumberPlace {
    std::size_t begin = 0;
    std::size_t end = 0;
    double value = 0;
};

// The decimal numbers in a name, without signs and exponents.
std::vector<NumberPlace> numbersIn(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789";
    std::vector<NumberPlace> places;
    for (std::size_t at = 0; (at = text.find_first_of(kDigits, at)) != std::string::npos;) {
        std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
        const bool hasDecimals = end + 1 < text.size() && text[end] == '.' &&
                                 kDigits.find(text[end + 1]) != std::string_view::npos;
        if (hasDecimals) end = std::min(text.find_first_not_of(kDigits, end + 1), text.size());
        NumberPlace place{at, end};
        const auto read = std::from_chars(text.data() + at, text.data() + end, place.value,
                                          std::chars_format::fixed);
        if (read.ec == std::errc()) places.push_back(place);
        at = end;
    }
    return places;
}

bool isBeforeUnit(std::string_view text, std::size_t end) {
    text.remove_prefix(end);
    if (!text.empty() && std::string_view("_ -").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    return text.starts_with("deg") || text.starts_with("°");
}

bool isBehindWord(std::string_view text, std::size_t begin) {
    text = text.substr(0, begin);
    if (!text.empty() && std::string_view("_= -").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    for (const std::string_view word : {"angle", "ang", "theta", "deg"}) {
        if (!text.ends_with(word)) continue;
        const std::string_view before = text.substr(0, text.size() - word.size());
        if (before.empty() || before.back() < 'a' || before.back() > 'z') return true;
    }
    return false;
}

// Angles of all views from their names, if every one has its own.
std::vector<double> anglesInNames(const ProjectionSource& projections) {
    std::vector<double> angles;
    for (Index view = 0; view < projections.info().views; ++view) {
        const std::filesystem::path file = projections.viewName(view);
        const std::optional<double> angle = angleInName(file.stem().string());
        if (!angle) return {};
        angles.push_back(*angle);
    }
    const auto isRising = [](const std::vector<double>& list, double sign) {
        return std::ranges::adjacent_find(
                   list, [sign](double a, double b) { return sign * (b - a) <= 0; }) == list.end();
    };
    constexpr double kMaxArc = 720;
    if (angles.size() < 3) return {};
    const auto [min, max] = std::minmax_element(angles.begin(), angles.end());
    if (*max - *min > kMaxArc) return {};
    // Files sorted by something else, such as a counter, still name one angle each.
    std::vector<double> sorted = angles;
    std::ranges::sort(sorted);
    if (!isRising(sorted, 1)) return {};
    return angles;
}

bool takeNames(const ProjectionSource& projections, ArcGuess& guess) {
    std::vector<double> angles = anglesInNames(projections);
    if (angles.empty()) return false;
    const auto [min, max] = std::minmax_element(angles.begin(), angles.end());
    guess.arcReason =
        fmt::format("The names of the files say the angles, {:g}° to {:g}°", *min, *max);
    constexpr double kDigitsDeg = 0.011;  // rounding of the names' digits
    takeAngles(std::move(angles), kDigitsDeg, guess);
    return true;
}

// A cone beam needs more than half a turn, so an arc of exactly that is a parallel beam's.
bool isHalfTurn(const ArcGuess& arc, Index views) {
    ScanGeometry geometry;
    auto& beam = geometry.trajectory.emplace<ParallelBeam>();
    beam.arcDeg = arc.arcDeg;
    beam.views = views;
    beam.anglesDeg = arc.anglesDeg;
    const double stepDeg = std::abs(arc.arcDeg) / static_cast<double>(views);
    const double toLastDeg = std::abs(arc.arcDeg) - stepDeg;
    return geometry.isHalfCircle() ||
           (arc.anglesDeg.empty() && std::abs(toLastDeg - 180) < 0.1 * stepDeg);
}

}  // namespace

void takeAngles(std::vector<double> anglesDeg, double roundedDeg, ArcGuess& guess) {
    constexpr double kMaxOff = 0.02;  // of a step
    const auto steps = static_cast<double>(std::max<std::ptrdiff_t>(1, std::ssize(anglesDeg) - 1));
    const double step = (anglesDeg.back() - anglesDeg.front()) / steps;
    double off = 0;
    for (std::size_t s = 0; s < anglesDeg.size(); ++s)
        off = std::max(off,
                       std::abs(anglesDeg[s] - anglesDeg.front() - static_cast<double>(s) * step));
    guess.isSure = true;
    guess.startDeg = anglesDeg.front();
    guess.arcDeg = step * static_cast<double>(anglesDeg.size());
    guess.anglesDeg.clear();
    if (off > std::max(kMaxOff * std::abs(step), roundedDeg))
        guess.anglesDeg = std::move(anglesDeg);
}

void takeStatedAngles(const StatedGeometry& stated, Index views, ArcGuess& arc) {
    constexpr double kRoundedDeg = 1e-4;  // as most programs print angles
    if (stated.wouldTellSource && !stated.sourceToObjectMm) arc.isParallel = true;
    if (std::ssize(stated.anglesDeg) == views) {
        takeAngles(stated.anglesDeg, kRoundedDeg, arc);
        arc.arcReason = fmt::format("The angles stand in the file, in {}", stated.where);
        arc.isStated = stated.angleDoubt.empty();
        if (arc.isStated) return;
        arc.isSure = false;
        arc.arcReason += fmt::format(". {}", stated.angleDoubt);
    } else if (stated.arcDeg) {
        arc.startDeg = 0;
        arc.arcDeg = *stated.arcDeg;
        arc.anglesDeg.clear();
        arc.isSure = true;
        arc.arcReason =
            fmt::format("The file lists no angles; its format then means equal steps over {:g}°",
                        *stated.arcDeg);
    } else if (!stated.angleDoubt.empty()) {
        if (!arc.isSure && arc.isParallel) arc.arcDeg = 180;
        arc.arcReason =
            fmt::format("{}. {}", stated.angleDoubt,
                        arc.isSure ? arc.arcReason
                                   : fmt::format("Equal steps over {:g}° are assumed", arc.arcDeg));
        arc.isSure = false;
    }
}

std::optional<double> angleInName(const std::string& name) {
    std::string text = name;
    std::ranges::transform(text, text.begin(), lower);
    const std::vector<NumberPlace> numbers = numbersIn(text);
    for (const bool isBehind : {true, false})
        for (const NumberPlace& place : numbers)
            if (isBehind ? isBeforeUnit(text, place.end) : isBehindWord(text, place.begin))
                return place.value;
    return std::nullopt;
}

ArcGuess guessArc(const ProjectionSource& projections, const StripReader& strips) {
    // With larger steps, neighbours differ as much as any other views.
    constexpr Index kMinViews = 48;
    ArcGuess guess;
    ViewComparison views(strips);
    if (strips.views() >= kMinViews) compareEnds(views, guess);
    judgeEdges(strips, guess);
    ArcGuess named;
    if (takeNames(projections, named)) {
        const bool isHalf = isHalfTurn(named, strips.views());
        named.axisColumn = guess.axisColumn;
        named.axisDoubt = guess.axisDoubt;
        named.isParallel = guess.isParallel || isHalf;
        named.mayBeSmallFan = guess.mayBeSmallFan && !isHalf;
        return named;
    }
    if (guess.arcReason.empty())
        guess.arcReason = fmt::format(
            "Not sure: the last of the {} views stands out as close neither to the first nor to "
            "its mirror image. Most scans are one full turn",
            strips.views());
    return guess;
}

}  // namespace gantry
