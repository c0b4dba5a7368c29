#pragma once

/// @file
/// Counts and ranges (gantry::Index, gantry::IndexRange) and borrowed arrays (gantry::Span3).
/// Views are [view][row][column] with row 0 below, volumes [z][y][x]; the last index is the
/// fastest.

#include "core/base/span3.h"
#include "core/base/types.h"
