#pragma once

/// @file
/// What is done to line integrals before the filter, gantry::Corrections: beam flux, zingers, phase
/// retrieval, lag, rings, and how rows of an object that is cut off go on. By default only the
/// last.

#include "core/prep/corrections.h"
