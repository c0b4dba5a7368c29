#include "core/scan/inspect/pixel_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/median.h"
#include "core/base/percent.h"

namespace gantry {

namespace {

bool isEven(const EdgeStrip& strip) {
    return std::max(strip.spread, std::abs(strip.slope)) < 0.01;
}

// By how much a quarter of a column of a view is brighter than the air at both of its sides, as a
// line integral; a beam that leans is brighter on one of them.
double brighterThanAir(const PictureFacts& fact) {
    if (!isEven(fact.left) || !isEven(fact.right)) return 0;
    double lightest = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& band : fact.bandsU) {
        // One column may be odd alone.
        for (std::size_t u = 2; u + 2 < band.size(); ++u)
            lightest = std::min(lightest, std::max({band[u - 1], band[u], band[u + 1]}));
    }
    return std::min(fact.left.level, fact.right.level) - lightest;
}

}  // namespace

std::optional<Problem> checkFlat(const std::vector<PictureFacts>& facts, double contrast) {
    const double much = std::max(0.03, 0.05 * contrast);
    std::vector<double> brighter;
    for (const PictureFacts& fact : facts)
        if (const double by = brighterThanAir(fact); by > much) brighter.push_back(by);
    if (2 * brighter.size() < facts.size() || brighter.empty()) return std::nullopt;
    const auto count = brighter.size();
    return Problem{
        Problem::Severity::warning, "projections.flat",
        fmt::format("in {} of the {} views that were looked at a part is brighter than the flat "
                    "field, by up to {}, although the air at both sides is not: the object, a "
                    "filter or something else was in the beam of the flat frames, and all levels "
                    "are wrong. Take flat frames without it, or state a flatValue instead",
                    count, facts.size(), formatPercent(std::expm1(medianOf(std::move(brighter)))))};
}

}  // namespace gantry
