#pragma once

/// @file
/// Volumes in memory, read from files and written to them.

#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"

namespace gantry {

/// Writes a volume; the format follows from the name of the file.
/// @throws InputError where it cannot be written, ResourceError where the disk is full
/// Tests: tests/install/test_install.py
void writeVolume(const Volume& volume, const OutputFormat& output);

}  // namespace gantry
