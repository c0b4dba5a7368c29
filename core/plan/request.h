#pragma once

#include <string>
#include <vector>

#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/plan/method_spec.h"
#include "core/prep/corrections.h"

namespace gantry {

/// Where back-projection runs. automatic: on GPUs if this build and machine have them, otherwise on
/// the CPU.
enum class Engine { automatic, cpu, gpu };

/// Where views are filtered when GPUs back-project: on the CPU as iFDK does, or on the GPU;
/// automatic takes the one that is predicted to be faster on this machine.
enum class FilterOn { automatic, cpu, gpu };

/// The kernels of the CPU's engine that requests name: the usual one, which stands for `general`
/// where each view has its own detector, and algorithm 2 in double.
inline constexpr const char* kUsualCpuKernel = "columns";
inline constexpr const char* kReferenceKernel = "reference";
/// In place of a GPU kernel's name: the one that is fastest in a trial.
inline constexpr const char* kAnyKernel = "auto";

/// A request for a reconstruction, independent of where its views come from and its slices go.
struct ReconstructionRequest {
    VolumeGrid volume;
    MethodSpec method;
    FilterSpec filter;  ///< of FDK; an iterative method's start has a filter of its own
    Engine engine = Engine::automatic;
    std::string cpuKernel = kUsualCpuKernel;  ///< of Machine::cpu
    std::string gpuKernel = kAnyKernel;       ///< of Machine::gpu
    bool fast = false;  ///< texture hardware may interpolate, with 8-bit fractions
    FilterOn filterOn = FilterOn::automatic;
    std::vector<int> devices;     ///< GPUs to use, by number; empty: all
    Index deviceMemoryBytes = 0;  ///< of each GPU; 0: all that is free
    int threads = 0;              ///< 0: all of this machine
    Index memoryBytes = 0;        ///< 0: what is free on this machine
    Index batchViews = 32;
    Corrections corrections = {};  ///< of the line integrals, before the filter
};

/// Takes what an iterative method leaves no choice in: its start has a filter of its own. Nothing
/// changes for FDK.
/// @throws InputError  it chooses among kernels or filters of FDK
/// Tests: tests/core/plan/method_spec_test.cpp
void settleMethod(ReconstructionRequest& request);

/// Clears all options that only GPUs have.
void leaveGpus(ReconstructionRequest& request);

/// Whether it asks for something that only GPUs can do, so that the CPU is no alternative.
[[nodiscard]] bool asksForDevices(const ReconstructionRequest& request);

/// Whether it names a kernel of the CPU that GPUs lack, so that GPUs are no alternative.
[[nodiscard]] bool asksForCpu(const ReconstructionRequest& request);

}  // namespace gantry
