#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/device_engine.h"
#include "core/engine/device_rates.h"
#include "core/engine/kernel.h"
#include "core/engine/plane_preview.h"
#include "core/engine/view_filter.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A device, as planning sees it.
struct DeviceFacts {
    int number = 0;
    std::string name;  ///< "NVIDIA H200", "CPU (AVX-512)"
    Index memoryBytes = 0;
    Index freeBytes = 0;           ///< now; what other programs hold is not free
    int multiprocessors = 0;       ///< of a GPU
    double computeCapability = 0;  ///< of a GPU: 9.0
};

/// The engines of one kind, for planning: values, and one formula. Nothing here touches a device.
struct EngineInfo {
    std::vector<DeviceFacts> devices;
    /// That a request may name. The last is what a plan reckons with where none was tried.
    std::vector<Kernel> kernels;
    /// Memory that a job takes of one device, bytes; pure.
    std::function<Index(const DeviceJob& job)> bytesNeeded;
    /// And for a ViewFilter beside it, of a job without slabs; pure. Empty where there is none.
    std::function<Index(const DeviceJob& job)> viewFilterBytes;
};

/// What planning has to know of a machine before anything is measured: values.
struct Machine {
    int threads = 1;       ///< that it runs at once
    Index freeBytes = 0;   ///< of the host's memory
    EngineInfo cpu;        ///< one device
    EngineInfo gpu;        ///< no devices where there is no GPU, or no engine for it
    std::string whyNoGpu;  ///< one sentence; empty where there are GPUs

    [[nodiscard]] const EngineInfo& engine(EngineKind kind) const {
        return kind == EngineKind::cpu ? cpu : gpu;
    }
};

/// The engines of one kind in this build, on this machine. Several threads may ask at once.
struct EngineBackend {
    EngineInfo info;

    /// "" where the device can filter scans, else why not, in half a sentence.
    /// @throws ResourceError where the device cannot be used; so do those that follow
    std::function<std::string(int device)> whyNoFilter;
    /// The fastest kernel that keeps the precision, by a short trial whose result may be
    /// remembered; or how fast the one named is. `fast`: texture hardware may interpolate.
    std::function<KernelChoice(int device, const DeviceJob& job, bool fast)> chooseKernel;
    /// Takes how fast that kernel was in a whole job, for the next choice of the same; may be
    /// empty.
    std::function<void(int device, const DeviceJob& job, bool fast, const KernelChoice& found)>
        keepSpeed;
    /// Measured in a fraction of a second; empty where a device is the host itself.
    std::function<DeviceRates(int device, const DeviceJob& job)> measure;
    /// Timeline lanes are named after the device: "GPU 0", "GPU 0 upload", "GPU 0 download"; the
    /// CPU's is "back-project".
    std::function<std::unique_ptr<DeviceEngine>(int device, const DeviceJob& job, SpanSink sink,
                                                std::int64_t originNs)>
        makeEngine;
    /// What filters views on a device and hands them back; empty where nothing does. Its timeline
    /// lane is "GPU 0 filter".
    std::function<std::unique_ptr<ViewFilter>(int device, const DeviceJob& job, SpanSink sink,
                                              std::int64_t originNs)>
        makeViewFilter;
    /// What renders a live preview on a device. Several may live at once.
    std::function<std::unique_ptr<PlanePreview>(int device)> makePreview;
    /// Pins host memory for fast copies by all devices until the result is destroyed, which must be
    /// before the memory is freed. May be empty, and may return nothing: copies then are slower.
    /// @throws ResourceError
    std::function<std::shared_ptr<void>(void* data, Index bytes)> pin;
};

/// What this build, on this machine, can back-project with. Filled once at the program's start and
/// handed down.
struct Backends {
    EngineBackend cpu;
    EngineBackend gpu;
    std::string whyNoGpu;  ///< one sentence; empty where there are devices
    /// File in which is kept how fast jobs store; empty: nowhere.
    std::filesystem::path storageSpeeds{};
    /// File in which is kept what runs took; empty: nowhere.
    std::filesystem::path runTimes{};

    [[nodiscard]] const EngineBackend& engine(EngineKind kind) const {
        return kind == EngineKind::cpu ? cpu : gpu;
    }
};

}  // namespace gantry
