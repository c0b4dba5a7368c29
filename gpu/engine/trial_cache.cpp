#include "gpu/engine/trial_cache.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/version.h"
#include "core/engine/problem_class.h"

namespace gantry {

namespace {

nlohmann::json toJson(const TrialKey& key) {
    return {{"device", key.device},
            {"driver", key.driverVersion},
            {"program", key.program},
            {"problem", key.problem}};
}

}  // namespace

TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast) {
    return {device.uuid.empty() ? device.name : device.uuid, device.driverVersion,
            std::string(programVersion()), problemClass(job, fast)};
}

TrialCache::TrialCache(std::filesystem::path file)
    : m_kept(std::move(file), "gantryKernelTrials", "trials") {}

std::optional<TrialResult> TrialCache::find(const TrialKey& key) const {
    const std::optional<nlohmann::json> trial = m_kept.find(toJson(key));
    if (!trial) return {};
    const auto kernel = trial->find("kernel");
    const double speed = positiveOf(*trial, "updatesPerSecond");
    if (kernel == trial->end() || !kernel->is_string() || speed <= 0) return {};
    return TrialResult{kernel->get<std::string>(), speed};
}

void TrialCache::keep(const TrialKey& key, const TrialResult& result) const noexcept {
    m_kept.keep(toJson(key),
                {{"kernel", result.kernel}, {"updatesPerSecond", result.updatesPerSecond}});
}

}  // namespace gantry
