#pragma once

#include <QString>
#include <vector>

#include "core/engine/backends.h"

namespace gantry {

/// "2 × NVIDIA H200 + NVIDIA L40S"; empty if there are none.
/// Tests: tests/ui/models/engine_text_test.cpp
[[nodiscard]] QString devicesText(const std::vector<DeviceFacts>& devices);

/// The engine of a job that does not choose one: the GPUs, or "CPU (AVX-512), 16 threads".
[[nodiscard]] QString engineText(const Machine& machine);

/// Half a sentence on the error of interpolation in texture hardware.
[[nodiscard]] QString fastErrorText();

}  // namespace gantry
