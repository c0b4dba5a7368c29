#pragma once

/// @file
/// What is done to line integrals before the filter, gantry::Corrections: beam flux, zingers, phase
/// retrieval, rings. By default nothing.

#include "core/prep/corrections.h"
