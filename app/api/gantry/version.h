#pragma once

/// @file
/// The version of the library: gantry::programVersion().

#include "core/base/version.h"
