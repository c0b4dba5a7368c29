#include "core/geometry/problem_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
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

bool ProblemList::range(const std::string& field, double value, double least, double most,
                        const char* unit) {
    if (value >= least && value <= most) return true;
    errorOf(field, fmt::format("is {}{}; it must be between {}{} and {}{}", value, unit, least,
                               unit, most, unit));
    return false;
}

bool ProblemList::length(const std::string& field, double valueMm, double mostMm) {
    if (valueMm >= kLeastLengthMm && valueMm <= mostMm) return true;
    // Only the limit that was passed is named.
    const std::string allowed = valueMm > mostMm ? fmt::format("at most {:.0f} mm", mostMm)
                                : valueMm > 0    ? fmt::format("at least {} mm", kLeastLengthMm)
                                                 : "greater than 0";
    errorOf(field, fmt::format("is {} mm; it must be {}", valueMm, allowed));
    return false;
}

bool ProblemList::count(const std::string& field, Index value, Index least, Index most) {
    if (value >= least && value <= most) return true;
    errorOf(field, value < least ? fmt::format("is {}; it must be at least {}", value, least)
                                 : fmt::format("is {}; it must be at most {}", value, most));
    return false;
}

bool ProblemList::hasError() const {
    return std::any_of(m_problems.begin(), m_problems.end(), isError);
}

std::vector<Problem> ProblemList::sorted() && {
    std::stable_partition(m_problems.begin(), m_problems.end(), isError);
    return std::move(m_problems);
}

}  // namespace gantry
