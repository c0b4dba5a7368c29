#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/facts.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// What `gantry measure` reads: measure for the forecast of this job what is not known yet. JSON.
[[nodiscard]] std::string measureRequest(const JobSpec& spec, const Facts& known);

/// What it answers: the machine's GPUs as they are now, and all that is known.
struct Measured {
    std::vector<DeviceFacts> gpus;
    std::string whyNoGpu;
    Facts facts;
};

/// Answers a request on this machine, in JSON for parseMeasured(). An empty request asks for the
/// GPUs alone. Where a plan is refused by what was measured for it, as of a GPU that cannot be
/// used, that is the answer. where: the request's name in messages
/// @throws InputError, ResourceError as openScan() and learn(); Cancelled
/// Tests: tests/core/work/measure_request_test.cpp
[[nodiscard]] std::string answerMeasureRequest(std::string_view request, const std::string& where,
                                               const Backends& backends,
                                               const std::stop_token& stop);

/// @throws InputError  it is not an answer
[[nodiscard]] Measured parseMeasured(std::string_view answer);

}  // namespace gantry
