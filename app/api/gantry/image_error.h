#pragma once

/// @file
/// How one array of voxels differs from another, gantry::ImageError.

#include "core/metrics/image_error.h"
