#pragma once

/// @file
/// What is done to views before the filter, gantry::Corrections: modules of the detector, a part of
/// it and larger pixels, beam flux, zingers, phase retrieval, lag, rings, and how rows of an object
/// that is cut off go on. By default only the last.

#include "core/prep/corrections.h"
