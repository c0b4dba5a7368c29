#pragma once

#include <QString>
#include <vector>

#include "core/plan/job_spec.h"

namespace gantry {

/// A value of a request as text, with its unit.
struct RequestLine {
    QString group;  ///< "Volume"; the same for lines that belong together
    QString label;
    QString value;
};

/// A job's request for display. Tests: tests/ui/models/job_request_test.cpp
[[nodiscard]] std::vector<RequestLine> requestLines(const JobSpec& spec);

}  // namespace gantry
