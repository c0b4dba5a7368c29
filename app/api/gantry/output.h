#pragma once

/// @file
/// What a volume's file is to be, gantry::OutputFormat: its format follows from the name.

#include "core/io/volume/open_sink.h"
