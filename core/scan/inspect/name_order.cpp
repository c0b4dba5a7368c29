#include "core/scan/inspect/name_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/series/file_order.h"
#include "core/io/series/match_files.h"
#include "core/io/series/number_forms.h"
#include "core/scan/guess/guess_arc.h"

namespace gantry {

namespace {

constexpr const char* kField = "projections.files";

using Values = std::vector<double>;

std::vector<std::string> namesOf(const ScanFile& scan) {
    std::vector<std::string> names;
    try {
        for (const auto& file : matchViews(scan.folder, scan.projections.files))
            names.push_back(file.filename().string());
    } catch (const InputError&) {
        return {};  // faults of the files are reported where they are read
    }
    return names;
}

Values anglesOf(const ScanGeometry& geometry) {
    Values angles;
    for (Index s = 0; s < geometry.views(); ++s)
        angles.push_back(geometry.angleDeg(s));
    return angles;
}

// The numbers at each place of the names, if they have the same texts between them.
std::vector<Values> columnsOf(const std::vector<std::string>& names) {
    NumberForms forms = formsOf(names);
    forms.decimals = true;
    std::vector<Values> columns;
    for (const NumberColumn& column : numberColumns(names, forms)) {
        columns.emplace_back();
        for (const std::string& number : column) {
            const std::optional<double> value = valueOfNumber(number);
            if (!value) return {};
            columns.back().push_back(*value);
        }
    }
    return columns;
}

double smallestStep(Values values) {
    std::ranges::sort(values);
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < values.size(); ++i)
        step = std::min(step, values[i] - values[i - 1]);
    return step;
}

// The first view at which the lists differ; none: they are the same but for rounding.
std::optional<std::size_t> firstDifference(const Values& a, const Values& b, double tolerance) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::abs(a[i] - b[i]) > tolerance) return i;
    return std::nullopt;
}

// Whether values count 0, 1, 2 … or in other equal whole steps, as numbers of files do.
bool isCounter(const Values& values) {
    const double step = values.size() > 1 ? values[1] - values[0] : 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != std::floor(values[i]) ||
            values[i] != values[0] + static_cast<double>(i) * step)
            return false;
    return true;
}

// By how much all names' angles are behind those of their views, as where both go once round but
// begin elsewhere. The axis is where it was then.
std::optional<double> commonTurn(const Values& named, const Values& angles, double tolerance) {
    const double turn = std::remainder(angles[0] - named[0], 360);
    for (std::size_t i = 0; i < named.size(); ++i)
        if (std::abs(std::remainder(angles[i] - named[i] - turn, 360)) > tolerance)
            return std::nullopt;
    return turn;
}

// Names whose numbers are the angles of the trajectory, but of other views.
bool checkOrder(const std::vector<std::string>& names, const Values& angles,
                ProblemList& problems) {
    constexpr double kDigitsDeg = 0.011;  // rounding of the names' digits
    const double tolerance = std::min(kDigitsDeg, smallestStep(angles) / 4);
    Values sortedAngles = angles;
    std::ranges::sort(sortedAngles);
    for (const Values& values : columnsOf(names)) {
        Values sorted = values;
        std::ranges::sort(sorted);
        if (firstDifference(sorted, sortedAngles, tolerance)) continue;
        const auto view = firstDifference(values, angles, tolerance);
        if (!view) return true;
        if (const auto turned = commonTurn(values, angles, tolerance)) {
            problems.warning(kField,
                             fmt::format("The names hold the angles of the trajectory, each {:g}° "
                                         "from that of its view: the volume comes out turned by as "
                                         "much. List the angles as the files are sorted if that "
                                         "matters.",
                                         *turned));
            return true;
        }
        const std::string found = fmt::format("view {} is {}, and the trajectory has {:g}° for it",
                                              *view, names[*view], angles[*view]);
        if (isCounter(values))
            problems.warning(kField,
                             fmt::format("The numbers in the names are also the angles of the "
                                         "trajectory, in another order: {}. If they are angles, "
                                         "sort trajectory.anglesDeg as the files are.",
                                         found));
        else
            problems.error(kField, fmt::format("The names hold the angles of the trajectory in "
                                               "another order: {}. Sort trajectory.anglesDeg as "
                                               "the files are, or rename the files.",
                                               found));
        return true;
    }
    return false;
}

// A number that counts the files without a gap, but not in the order in which their names sort.
void checkCounters(const std::vector<std::string>& names, ProblemList& problems) {
    for (const Values& values : columnsOf(names)) {
        Values sorted = values;
        std::ranges::sort(sorted);
        if (sorted == values || sorted[1] == sorted[0] || !isCounter(sorted)) continue;
        const std::size_t view = *firstDifference(values, sorted, 0);
        const auto there = std::ranges::find(values, sorted[view]) - values.begin();
        return problems.warning(
            kField, fmt::format("A number in the names counts the views in another order than the "
                                "names sort in: view {} is {}, and by that number it would be {}. "
                                "If that is the trajectory's order, rename the files so that this "
                                "number comes first.",
                                view, names[view], names[there]));
    }
}

// Names that state an angle, which must be the trajectory's but for its start and direction.
void checkStated(const std::vector<std::string>& names, const Values& angles,
                 ProblemList& problems) {
    Values stated;
    for (const std::string& name : names) {
        const std::optional<double> angle =
            angleInName(std::filesystem::path(name).stem().string());
        if (!angle) return;
        stated.push_back(*angle);
    }
    const auto farthest = [&](double sign) {
        std::pair<double, std::size_t> max;
        for (std::size_t s = 0; s < angles.size(); ++s) {
            const double off =
                std::remainder((stated[s] - stated[0]) - sign * (angles[s] - angles[0]), 360);
            max = std::max(max, {std::abs(off), s});
        }
        return max;
    };
    const auto [off, view] = std::min(farthest(1), farthest(-1));
    constexpr double kMaxOffDeg = 0.25;
    if (off <= kMaxOffDeg) return;
    problems.warning(kField,
                     fmt::format("The names state other angles than the trajectory: view {} is {}, "
                                 "and the trajectory has {:g}° for it, {:g}° for the first. "
                                 "Correct the trajectory, or list the angles of the names in "
                                 "trajectory.anglesDeg.",
                                 view, names[view], angles[view], angles[0]));
}

}  // namespace

std::vector<Problem> contradictedByNames(const ScanFile& scan) {
    if (!scan.geometry.hasAngles()) return {};
    const std::vector<std::string> names = namesOf(scan);
    if (names.size() < 3) return {};
    ProblemList problems;
    if (const std::string doubt = doubtOfOrder(names); !doubt.empty())
        problems.warning(kField, fmt::format("The names sort in two ways: {}.", doubt));
    if (std::ssize(names) == scan.geometry.views()) {
        const Values angles = anglesOf(scan.geometry);
        if (!checkOrder(names, angles, problems)) {
            checkStated(names, angles, problems);
            checkCounters(names, problems);
        }
    }
    return std::move(problems).sorted();
}

}  // namespace gantry
