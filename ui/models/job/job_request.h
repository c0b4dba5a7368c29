#pragma once

#include <QString>
#include <vector>

#include "core/plan/job_spec.h"

namespace gantry {

/// A value of a request in words, with its unit.
struct RequestLine {
    QString group;  ///< "Volume"; the same for lines that belong together
    QString label;
    QString value;
};

/// What a job was asked for, to be read. Tests: tests/ui/models/job_request_test.cpp
[[nodiscard]] std::vector<RequestLine> requestLines(const JobSpec& spec);

/// "hann" as an operator calls it: "Hann".
[[nodiscard]] QString windowText(FilterWindow window);
/// "32-bit float"
[[nodiscard]] QString storedTypeText(PixelType type);

}  // namespace gantry
