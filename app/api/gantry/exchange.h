#pragma once

/// @file
/// Geometries of other programs: RTK's XML, ASTRA's vectors, LEAP's parameters.

#include "core/geometry/exchange/exchange.h"
