#pragma once

/// @file
/// Views that a program hands over itself: derive from gantry::ProjectionSource to read them as
/// they are needed; gantry::DetectorCalibration turns counts into line integrals.

#include "core/io/projection_source.h"
#include "core/prep/calibration.h"
