#include "core/geometry/problem_list.h"

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

bool ProblemList::range(const std::string& field, double value, double least, double most,
                        const char* unit) {
    if (value >= least && value <= most) return true;
    error(field, fmt::format("is {}{}, and {}{} to {}{} are allowed", value, unit, least, unit,
                             most, unit));
    return false;
}

bool ProblemList::count(const std::string& field, Index value, Index least, Index most,
                        const char* things) {
    if (value >= least && value <= most) return true;
    error(field, fmt::format("is {}, and {} to {} {} are allowed", value, least, most, things));
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
