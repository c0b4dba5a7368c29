#include "core/scan/guess/guess_arc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "core/geometry/scan_geometry.h"

namespace gantry {

namespace {

// Two views are alike within about one and a half steps, and far closer than unrelated views.
constexpr double kMaxSteps = 2.5;
constexpr double kMaxOfFar = 0.1;
// Below this, they show the same view rather than neighbouring ones.
constexpr double kMaxOfStep = 0.25;

class ViewComparison {
  public:
    explicit ViewComparison(const StripReader& strips) : m_strips(strips) {}

    [[nodiscard]] Index count() const { return m_strips.views(); }
    [[nodiscard]] Index last() const { return count() - 1; }
    // The view at so many eighths of the trajectory.
    [[nodiscard]] Index at(Index eighths) const { return eighths * count() / 8; }

    [[nodiscard]] double apart(Index a, Index b) { return distance(strip(a), strip(b)); }
    [[nodiscard]] MirrorMatch mirrored(Index a, Index b) { return mirrorMatch(strip(a), strip(b)); }
    // Mean distance of views `many` steps apart, at two places.
    [[nodiscard]] double steps(Index a, Index b, Index many = 1) {
        const auto near = [&](Index view) {
            return apart(view, view + (view + many <= last() ? many : -many));
        };
        return (near(a) + near(b)) / 2;
    }
    // Distance of unrelated views.
    [[nodiscard]] double far() {
        return median({apart(0, at(1)), apart(0, at(2)), apart(0, at(3)), apart(0, at(5))});
    }
    [[nodiscard]] double farMirrored() {
        return median({mirrored(0, at(1)).distance, mirrored(0, at(2)).distance,
                       mirrored(0, at(3)).distance, mirrored(0, at(6)).distance});
    }

  private:
    [[nodiscard]] static double median(std::vector<double> values) {
        std::sort(values.begin(), values.end());
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

// How many steps, from none to one, a view is short of another that it nearly repeats. Squared
// distances grow with the noise and with the square of the steps.
double stepsShort(ViewComparison& views, double distance) {
    const double one = views.steps(0, views.last());
    const double two = views.steps(0, views.last(), 2);
    const double perStep = std::max((two - one) / 3, 1e-3 * one);
    return std::sqrt(std::clamp((distance - (one - perStep)) / perStep, 0.0, 1.0));
}

void takeHalfTurn(ViewComparison& views, const MirrorMatch& end, ArcGuess& guess) {
    const Index last = views.last();
    guess.isSure = guess.isParallel = true;
    // It may be a step short of that: matching one view to the other hides a step.
    guess.arcDeg = 180;
    guess.arcReason =
        "The last view is the mirror image of the first: half a turn of a parallel beam";
    // The more steps from opposite, the farther the column moves from the axis.
    const double next = (views.mirrored(1, last).column + views.mirrored(0, last - 1).column) / 2;
    guess.axisColumn = end.column + stepsShort(views, end.distance) * (end.column - next);
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
    const bool repeats = closed < kMaxOfStep * step;
    guess.isSure = true;
    // The arc reaches one step beyond the last view.
    const auto count = static_cast<double>(views.count());
    guess.arcDeg = repeats ? 360 * count / (count - 1) : 360;
    guess.arcReason = repeats ? "The last view is the first one again: a full turn"
                              : "The last view is one step short of the first: a full turn";
    findAxisOfTurn(views, farMirrored, guess);
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
        return std::adjacent_find(list.begin(), list.end(), [sign](double a, double b) {
                   return sign * (b - a) <= 0;
               }) == list.end();
    };
    constexpr double kMaxArc = 720;
    const bool isArc = angles.size() > 2 && std::abs(angles.back() - angles.front()) <= kMaxArc &&
                       (isRising(angles, 1) || isRising(angles, -1));
    if (!isArc) angles.clear();
    return angles;
}

bool takeNames(const ProjectionSource& projections, ArcGuess& guess) {
    std::vector<double> angles = anglesInNames(projections);
    if (angles.empty()) return false;
    guess.arcReason = fmt::format("The names of the files say the angles, {:g}° to {:g}°",
                                  angles.front(), angles.back());
    constexpr double kDigitsDeg = 0.011;  // rounding of the names' digits
    takeAngles(std::move(angles), kDigitsDeg, guess);
    return true;
}

// Exactly half a turn is too short an arc for any fan.
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

std::optional<double> angleInName(const std::string& name) {
    std::string text = name;
    std::transform(text.begin(), text.end(), text.begin(), lower);
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
    ArcGuess named;
    if (takeNames(projections, named)) {
        named.axisColumn = guess.axisColumn;
        named.isParallel = guess.isParallel || isHalfTurn(named, strips.views());
        return named;
    }
    if (!guess.isSure)
        guess.arcReason = fmt::format(
            "Not sure: the last of the {} views is neither close to the first nor to its mirror "
            "image. Most scans are one full turn",
            strips.views());
    return guess;
}

}  // namespace gantry
