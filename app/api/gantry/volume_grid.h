#pragma once

/// @file
/// The voxels of a volume and their place, gantry::VolumeGrid; the grid that a detector sees,
/// gantry::fitGrid().

#include "core/geometry/volume_grid.h"
