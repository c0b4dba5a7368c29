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
    std::string problem;  ///< problemClass()

    friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

/// Of a job on a device: see problemClass(). fast: texture hardware may interpolate
[[nodiscard]] TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast);

struct TrialResult {
    std::string kernel;
    double updatesPerSecond = 0;
};

/// Results of trials in a JSON file, for later runs. A file that is missing, unreadable or of
/// another kind counts as empty, one that cannot be written is left as it is: a trial is short.
/// Tests: tests/gpu/engine/trial_cache_test.cpp
class TrialCache {
  public:
    explicit TrialCache(std::filesystem::path file) : m_file(std::move(file)) {}

    [[nodiscard]] std::optional<TrialResult> find(const TrialKey& key) const;
    /// Replaces the entry of the key.
    void keep(const TrialKey& key, const TrialResult& result) const noexcept;

  private:
    std::filesystem::path m_file;
};

}  // namespace gantry
