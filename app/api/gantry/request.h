#pragma once

/// @file
/// What is asked of a reconstruction, gantry::ReconstructionRequest: volume, method,
/// filter, corrections, engine, limits of memory.

#include "core/plan/request.h"
