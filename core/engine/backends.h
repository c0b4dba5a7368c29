#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/engine/device_engine.h"
#include "core/engine/device_rates.h"
#include "core/engine/kernel.h"
#include "core/engine/plane_preview.h"
#include "core/engine/view_steps.h"
#include "core/pipeline/timeline.h"
#include "core/project/projection_space.h"
#include "core/project/projector.h"

namespace gantry {

/// The facts about a device that planning uses.
struct DeviceFacts {
    int number = 0;
    std::string name;  ///< "NVIDIA H200", "CPU (AVX-512)"
    Index memoryBytes = 0;
    Index freeBytes = 0;           ///< now; what other programs hold is not free
    int multiprocessors = 0;       ///< of a GPU
    double computeCapability = 0;  ///< of a GPU: 9.0
    std::string uuid{};            ///< of a GPU, the same for all processes
};

/// The engines of one kind, for planning: values and pure formulas. Nothing here touches a device.
struct EngineInfo {
    std::vector<DeviceFacts> devices;
    /// Kernels that a request may name. A plan assumes the last one where none was tried.
    std::vector<Kernel> kernels;
    /// Memory that a job takes on one device, bytes; pure.
    std::function<Index(const DeviceJob& job)> bytesNeeded;
    /// Memory that a ViewFilter takes beside it, for a job without slabs; pure. Empty where there
    /// is none.
    std::function<Index(const DeviceJob& job)> viewFilterBytes;
    /// Memory that ViewSteps take on one device, bytes; nothing where it cannot do them; pure.
    /// Empty where there are none.
    std::function<std::optional<Index>(const ViewStepsJob& job)> viewStepsBytes;
    /// Memory that makeSpace() takes on one device with a method's vectors, bytes; pure. Empty
    /// where vectors stay in the host's memory.
    std::function<Index(const SpaceShape& shape, const IterativeMethod& method)> spaceBytes;
    /// Memory that makeProjector() takes for a slab of that many slices of the grid, bytes; pure.
    /// Only the number of views and their detector count.
    std::function<Index(const ProjectedViews& views, const VolumeGrid& grid, Index slices)>
        projectorBytes;
};

/// What planning must know of a machine before anything is measured: values.
struct Machine {
    int threads = 1;       ///< that it can run at once
    Index freeBytes = 0;   ///< of the host's memory
    EngineInfo cpu;        ///< one device
    EngineInfo gpu;        ///< no devices where there is no GPU, or no engine for it
    std::string whyNoGpu;  ///< one sentence; empty where there are GPUs
    FreeDisk freeDisk = freeDiskBytes;

    [[nodiscard]] const EngineInfo& engine(EngineKind kind) const {
        return kind == EngineKind::cpu ? cpu : gpu;
    }
};

/// The engines of one kind in this build, on this machine. Several threads may call at once.
struct EngineBackend {
    EngineInfo info;

    /// Returns why the device cannot filter scans, in half a sentence; "" where it can. @throws
    /// ResourceError where the device cannot be used, as the functions below do
    std::function<std::string(int device)> whyNoFilter;
    /// Finds the fastest kernel that keeps the precision, by a short trial whose result may be
    /// kept; or measures the speed of the kernel that the job names. `fast`: texture hardware may
    /// interpolate.
    std::function<KernelChoice(int device, const DeviceJob& job, bool fast)> chooseKernel;
    /// Keeps the speed of a kernel in a whole job, for the next choice for the same problem; may be
    /// empty.
    std::function<void(int device, const DeviceJob& job, bool fast, const KernelChoice& found)>
        keepSpeed;
    /// Measures the device in a fraction of a second; empty where the device is the host itself.
    std::function<DeviceRates(int device, const DeviceJob& job)> measure;
    /// Makes an engine on a device. Its timeline lanes are named after the device: "GPU 0", "GPU 0
    /// upload", "GPU 0 download"; the CPU's is "back-project".
    std::function<std::unique_ptr<DeviceEngine>(int device, const DeviceJob& job, SpanSink sink,
                                                std::int64_t originNs)>
        makeEngine;
    /// Makes a filter for views on a device, which returns them; empty where there is none. Its
    /// timeline lane is "GPU 0 filter".
    std::function<std::unique_ptr<ViewFilter>(int device, const DeviceJob& job, SpanSink sink,
                                              std::int64_t originNs)>
        makeViewFilter;
    /// Makes what corrects views on a device; empty where there is none.
    std::function<std::unique_ptr<ViewSteps>(int device, const ViewStepsJob& job)> makeViewSteps;
    /// Makes a projector of these views on a device; threads: where the device is the host itself.
    std::function<std::unique_ptr<Projector>(int device, ProjectedViews views, int threads)>
        makeProjector;
    /// Makes a space for an iterative method whose vectors lie on a device; empty where there is
    /// none. Its timeline lane is "GPU 0".
    std::function<std::unique_ptr<ProjectionSpace>(int device, const SpaceTask& task, SpanSink sink,
                                                   std::int64_t originNs)>
        makeSpace;
    /// Makes a renderer of live previews on a device. Several may exist at once.
    std::function<std::unique_ptr<PlanePreview>(int device)> makePreview;
    /// Pins host memory for fast copies by all devices until the result is destroyed, which must be
    /// before the memory is freed. May be empty, and may return nothing: copies then are slower.
    /// @throws ResourceError
    std::function<std::shared_ptr<void>(void* data, Index bytes)> pin;
};

/// All engines that this build has on this machine. Filled once at the program's start and passed
/// down.
struct Backends {
    EngineBackend cpu;
    EngineBackend gpu;
    std::string whyNoGpu;  ///< one sentence; empty where there are devices
    /// File that keeps how fast jobs store; empty: none.
    std::filesystem::path storageSpeeds{};
    /// File that keeps how long runs took; empty: none.
    std::filesystem::path runTimes{};

    [[nodiscard]] const EngineBackend& engine(EngineKind kind) const {
        return kind == EngineKind::cpu ? cpu : gpu;
    }
};

}  // namespace gantry
