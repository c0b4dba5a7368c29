#pragma once

/// @file
/// Reconstruction by FDK, into memory, into a file, or into whatever takes the slices.

#include <functional>
#include <stop_token>

#include <gantry/engines.h>
#include <gantry/scan.h>
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/volume_sink.h"
#include "core/pipeline/progress.h"
#include "core/plan/request.h"

namespace gantry {

/// How a run is watched and stopped.
struct RunControl {
    std::function<void(const Progress&)> progress = {};  ///< a few times a second, from any thread
    std::stop_token stop = {};                           ///< ends the run with Cancelled
};

/// The grid that a request means for a scan: its own, or where it has none the scan's, or where
/// that has none what the detector sees at its resolution.
[[nodiscard]] VolumeGrid volumeGridOf(const Scan& scan, const ReconstructionRequest& request);

/// Into memory. Several runs may work at once.
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/install/test_install.py
[[nodiscard]] Volume reconstruct(const Scan& scan, const ReconstructionRequest& request,
                                 const Engines& engines, const RunControl& control = {});
/// Into memory of the caller: attenuation, 1/mm; [z][y][x], of the size of volumeGridOf().
/// @throws InputError, ResourceError, Cancelled
void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 Span3<float> volume, const RunControl& control = {});
/// Into a file, slab by slab where the memory is small. It has its name when it is complete, and
/// after an error what was there before.
/// @throws InputError, ResourceError, Cancelled
void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 const OutputFormat& output, const RunControl& control = {});
/// Into any sink, which is finished when this returns.
/// @throws InputError, ResourceError, Cancelled; what the sink throws
void reconstruct(const Scan& scan, const ReconstructionRequest& request, const Engines& engines,
                 VolumeSink& sink, const RunControl& control = {});

}  // namespace gantry
