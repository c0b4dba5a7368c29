#pragma once

/// @file
/// How far a run is, gantry::Progress.

#include "core/pipeline/progress.h"
