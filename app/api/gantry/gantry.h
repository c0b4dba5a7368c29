#pragma once

/// @file
/// All headers of the surface: what a program that uses Gantry includes.

#include <gantry/centre.h>
#include <gantry/compare.h>
#include <gantry/corrections.h>
#include <gantry/engines.h>
#include <gantry/error.h>
#include <gantry/exchange.h>
#include <gantry/filter.h>
#include <gantry/geometry.h>
#include <gantry/image_error.h>
#include <gantry/output.h>
#include <gantry/phantom.h>
#include <gantry/plan.h>
#include <gantry/problems.h>
#include <gantry/progress.h>
#include <gantry/reconstruct.h>
#include <gantry/request.h>
#include <gantry/scan.h>
#include <gantry/simulate.h>
#include <gantry/sink.h>
#include <gantry/types.h>
#include <gantry/version.h>
#include <gantry/views.h>
#include <gantry/volume.h>
#include <gantry/volume_grid.h>
