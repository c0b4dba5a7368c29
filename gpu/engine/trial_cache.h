#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/kept_values.h"
#include "core/engine/device_engine.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// The conditions under which the result of a kernel trial is valid.
struct TrialKey {
    std::string device;  ///< UUID
    int driverVersion = 0;
    std::string program;  ///< its version
    std::string problem;  ///< problemClass()

    friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

/// The key of a job on a device: see problemClass(). fast: texture hardware may interpolate
[[nodiscard]] TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast);

struct TrialResult {
    std::string kernel;
    double updatesPerSecond = 0;
};

/// Keeps the results of trials in a file for later runs: see KeptValues. Tests:
/// tests/gpu/engine/trial_cache_test.cpp
class TrialCache {
  public:
    explicit TrialCache(std::filesystem::path file);

    [[nodiscard]] std::optional<TrialResult> find(const TrialKey& key) const;
    /// Replaces the entry of the key.
    void keep(const TrialKey& key, const TrialResult& result) const noexcept;

  private:
    KeptValues m_kept;
};

}  // namespace gantry
