#pragma once

/// @file
/// All headers of the surface: what a program that uses Gantry includes.

/// @mainpage
/// What a program that uses Gantry includes: gantry/gantry.h, or the headers that it names. A scan
/// is opened or made of views in memory (gantry::Scan), the centre of rotation is found
/// (gantry::findCentre), a run is planned (gantry::planReconstruction) and done
/// (gantry::reconstruct). The manual's page "Reconstructing from a C++ program" has a whole
/// program.

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
