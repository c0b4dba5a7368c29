#pragma once

/// @file
/// What is wrong with a geometry or a volume: gantry::validate() lists every gantry::Problem
/// with its field.

#include "core/geometry/check/validate.h"
