#pragma once

#include <filesystem>
#include <string>

#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/io/open_sink.h"
#include "core/io/scan_file.h"

namespace gantry {

/// Where back-projection runs. automatic: the GPUs where this build and machine have them, else the
/// CPU.
enum class Engine { automatic, cpu, gpu };

/// What the CPU back-projects with.
enum class CpuKernel { columns, reference };

/// Everything that a reconstruction was asked for: the content of job.json. The scan is held whole,
/// so that a job means the same when the scan's file changes later.
struct JobSpec {
    ScanFile scan;
    VolumeGrid volume;
    FilterSpec filter;
    OutputFormat output;
    Engine engine = Engine::automatic;
    CpuKernel cpuKernel = CpuKernel::columns;
    int threads = 0;        ///< 0: all of this machine
    Index memoryBytes = 0;  ///< 0: what this machine has free
    Index batchViews = 32;
    bool checksumInput = true;  ///< record CRC-32 of every input file beside the output
};

/// @throws InputError naming the file and field
[[nodiscard]] JobSpec parseJobSpec(const std::string& json, const std::string& where);
[[nodiscard]] std::string toJson(const JobSpec& spec);

}  // namespace gantry
