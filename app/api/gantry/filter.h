#pragma once

/// @file
/// The window of the ramp filter, gantry::FilterSpec.

#include "core/filter/filter_spec.h"
