#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/facts.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The input of `gantry measure`, JSON: asks to measure what this job's forecast still needs.
[[nodiscard]] std::string measureRequest(const JobSpec& spec, const Facts& known);

/// The answer: the machine's GPUs as they are now, and all known facts.
struct Measured {
    std::vector<DeviceFacts> gpus;
    std::string whyNoGpu;
    Facts facts;
};

/// Answers a request on this machine, in JSON for parseMeasured(). An empty request asks only for
/// the GPUs. If planning fails because of what was measured (such as a GPU that cannot be used),
/// the facts are still returned. where: the request's name in messages
/// @throws InputError, ResourceError as openScan() and learn(); Cancelled
/// Tests: tests/core/work/measure_request_test.cpp
[[nodiscard]] std::string answerMeasureRequest(std::string_view request, const std::string& where,
                                               const Backends& backends,
                                               const std::stop_token& stop);

/// @throws InputError  it is not an answer
[[nodiscard]] Measured parseMeasured(std::string_view answer);

}  // namespace gantry
