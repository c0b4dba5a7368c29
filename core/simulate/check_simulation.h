#pragma once

#include "core/simulate/simulate_scan.h"

namespace gantry {

/// Checks what the spec asks of detector, beam and phantom; its geometry is valid.
/// @throws InputError naming what was asked for and what is allowed
/// Tests: tests/core/simulate/simulate_test.cpp, tests/core/simulate/faults_test.cpp
void checkSimulation(const SimulationSpec& spec);

}  // namespace gantry
