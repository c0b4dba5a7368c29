#pragma once

#include <filesystem>
#include <iosfwd>
#include <stop_token>

#include "core/engine/backends.h"

namespace gantry {

/// Serves live slices to another process, as `gantry live` does for the desktop: reads lines of
/// live_messages.h from the descriptor `in`, the first of which opens a scan, and writes such lines
/// to `out`.
/// Pictures are written to a file in memory that both processes have open; those of a request lie
/// one behind the other from its beginning on. A newer request stops the current one. Returns when
/// `in` ends, or `stop` is requested. backends: the one that the first line names renders the
/// planes; threads: for everything else
/// @throws InputError, ResourceError  the scan cannot be held; the file cannot be written
/// Tests: tests/core/live/live_server_test.cpp
void serveLiveSlices(int in, std::ostream& out, const std::filesystem::path& pictures,
                     const Backends& backends, int threads, const std::stop_token& stop);

}  // namespace gantry
