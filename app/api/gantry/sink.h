#pragma once

/// @file
/// Where slices go: derive from gantry::VolumeSink to take them as they are made.

#include "core/io/volume/volume_sink.h"
