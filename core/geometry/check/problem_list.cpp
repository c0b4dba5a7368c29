#include "core/geometry/check/problem_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gantry {

namespace {

bool isError(const Problem& problem) {
    return problem.severity == Problem::Severity::error;
}

}  // namespace

void ProblemList::error(std::string field, std::string message) {
    m_problems.push_back({Problem::Severity::error, std::move(field), std::move(message)});
}

void ProblemList::warning(std::string field, std::string message) {
    m_problems.push_back({Problem::Severity::warning, std::move(field), std::move(message)});
}

void ProblemList::errorOf(std::string field, std::string message) {
    m_problems.push_back({Problem::Severity::error, std::move(field), std::move(message), true});
}

void ProblemList::warningOf(std::string field, std::string message) {
    m_problems.push_back({Problem::Severity::warning, std::move(field), std::move(message), true});
}

bool ProblemList::range(const std::string& field, double value, double min, double max,
                        const char* unit) {
    if (value >= min && value <= max) return true;
    errorOf(field, fmt::format("is {}{}; it must be between {}{} and {}{}", value, unit, min, unit,
                               max, unit));
    return false;
}

bool ProblemList::length(const std::string& field, double valueMm, double maxMm) {
    if (valueMm >= kMinLengthMm && valueMm <= maxMm) return true;
    // Only the limit that was passed is named.
    const std::string allowed = valueMm > maxMm ? fmt::format("at most {:.0f} mm", maxMm)
                                : valueMm > 0   ? fmt::format("at least {} mm", kMinLengthMm)
                                                : "greater than 0";
    errorOf(field, fmt::format("is {} mm; it must be {}", valueMm, allowed));
    return false;
}

bool ProblemList::count(const std::string& field, Index value, Index min, Index max) {
    if (value >= min && value <= max) return true;
    errorOf(field, value < min ? fmt::format("is {}; it must be at least {}", value, min)
                               : fmt::format("is {}; it must be at most {}", value, max));
    return false;
}

void ProblemList::oddWidth(const std::string& field, Index widthPx, Index maxPx) {
    if (count(field, widthPx, 3, maxPx) && widthPx % 2 == 0)
        errorOf(field, fmt::format("is {} pixels; it must be odd", widthPx));
}

bool ProblemList::hasError() const {
    return std::ranges::any_of(m_problems, isError);
}

std::vector<Problem> ProblemList::sorted() && {
    std::stable_partition(m_problems.begin(), m_problems.end(), isError);
    return std::move(m_problems);
}

}  // namespace gantry
