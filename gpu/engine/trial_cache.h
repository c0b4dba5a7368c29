#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/engine/device_engine.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// What the result of a kernel trial is valid for.
struct TrialKey {
    std::string device;  ///< UUID
    int driverVersion = 0;
    std::string program;  ///< its version
    std::string problem;  ///< the class of problems, in words

    friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

/// Jobs fall into one class where kernels hardly differ in speed: sizes to a factor of two, the
/// voxel's step on the detector to a quarter of that; whether a slab is its own mirror image, and
/// which kernels may be tried (those of a precision, or the one that the job names).
[[nodiscard]] TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast);

/// Whether the job is made in one slab whose lower half mirrors the upper one on whole rows.
[[nodiscard]] bool isSymmetric(const DeviceJob& job);

/// Results of trials in a JSON file, for later runs. A file that is missing, unreadable or of
/// another kind counts as empty, one that cannot be written is left as it is: a trial is short.
/// Tests: tests/gpu/engine/trial_cache_test.cpp
class TrialCache {
  public:
    explicit TrialCache(std::filesystem::path file) : m_file(std::move(file)) {}

    [[nodiscard]] std::optional<KernelChoice> find(const TrialKey& key) const;
    /// Replaces the entry of the key.
    void keep(const TrialKey& key, const KernelChoice& choice) const noexcept;

  private:
    std::filesystem::path m_file;
};

}  // namespace gantry
