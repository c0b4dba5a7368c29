#pragma once

/// @file
/// Scans of phantoms as a scanner would store them: gantry::simulateScan().

#include "core/simulate/simulate_scan.h"
