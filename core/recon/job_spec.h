#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/io/scan_file.h"
#include "core/io/volume/open_sink.h"

namespace gantry {

/// Where back-projection runs. automatic: the GPUs where this build and machine have them, else the
/// CPU.
enum class Engine { automatic, cpu, gpu };

/// What the CPU back-projects with.
enum class CpuKernel { columns, reference };

/// What GPUs can be asked to back-project with, by name.
struct GpuKernelName {
    std::string_view name;
    bool fast = false;  ///< interpolates in texture hardware: only where JobSpec::fast allows it
};
inline constexpr std::array<GpuKernelName, 7> kGpuKernels = {{{"standard"},
                                                              {"bp-tex"},
                                                              {"tex-tran"},
                                                              {"bp-l1"},
                                                              {"l1-tran"},
                                                              {"mirror-texture", true},
                                                              {"tile"}}};
/// Whether a GPU kernel interpolates in texture hardware.
[[nodiscard]] bool isFastKernel(std::string_view gpuKernel);

/// Where views are filtered when GPUs back-project: on the CPU as iFDK does, or on the GPU;
/// automatic takes what is foretold to be faster on this machine.
enum class FilterOn { automatic, cpu, gpu };

/// Everything that a reconstruction was asked for: the content of job.json. The scan is held whole,
/// so that a job means the same when the scan's file changes later.
struct JobSpec {
    ScanFile scan;
    VolumeGrid volume;
    FilterSpec filter;
    OutputFormat output;
    Engine engine = Engine::automatic;
    CpuKernel cpuKernel = CpuKernel::columns;
    std::string gpuKernel;  ///< one of kGpuKernels; empty: the fastest in a trial
    bool fast = false;      ///< texture hardware may interpolate, with 8-bit fractions
    FilterOn filterOn = FilterOn::automatic;
    std::vector<int> devices;     ///< GPUs to use, by number; empty: all
    Index deviceMemoryBytes = 0;  ///< of each GPU; 0: what it has free
    int threads = 0;              ///< 0: all of this machine
    Index memoryBytes = 0;        ///< 0: what this machine has free
    Index batchViews = 32;
    bool checksumInput = true;  ///< record CRC-32 of every input file beside the output
};

/// Of what only GPUs do, nothing stays asked for.
void leaveGpus(JobSpec& spec);

/// @throws InputError naming the file and field
[[nodiscard]] JobSpec parseJobSpec(const std::string& json, const std::string& where);
[[nodiscard]] std::string toJson(const JobSpec& spec);

/// All of a request but its scan, as it is kept beside a scan's file: the fields of job.json, the
/// volume among them only where it is not fitted to the field of view.
/// Tests: tests/ui/workspace/settings_file_test.cpp
[[nodiscard]] std::string settingsJson(const JobSpec& spec, bool withVolume);
/// Takes over what settingsJson() wrote. @returns whether it has a volume; else that stays
/// @throws InputError naming the file and field; then nothing was taken
[[nodiscard]] bool takeSettings(const std::string& json, const std::string& where, JobSpec& spec);

}  // namespace gantry
