#include "gpu/engine/trial_cache.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/version.h"
#include "core/engine/problem_class.h"

namespace gantry {

namespace {

using nlohmann::json;

constexpr std::size_t kMostTrials = 500;

// The entries of the file; an empty list where it is not such a file.
json readTrials(const std::filesystem::path& file) {
    try {
        const json content = parseJson(readTextFile(file), file.string());
        if (content.is_object() && content.value("gantryKernelTrials", 0) == 1 &&
            content.contains("trials") && content["trials"].is_array())
            return content["trials"];
    } catch (const Error&) {
    } catch (const json::exception&) {
    }
    return json::array();
}

json toJson(const TrialKey& key) {
    return {{"device", key.device},
            {"driver", key.driverVersion},
            {"program", key.program},
            {"problem", key.problem}};
}

bool isOf(const json& trial, const TrialKey& key) {
    const json expected = toJson(key);
    return trial.is_object() &&
           std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& field) {
               return trial.contains(field.key()) && trial[field.key()] == field.value();
           });
}

}  // namespace

TrialKey trialKey(const DeviceInfo& device, const DeviceJob& job, bool fast) {
    return {device.uuid.empty() ? device.name : device.uuid, device.driverVersion,
            std::string(programVersion()), problemClass(job, fast)};
}

std::optional<TrialResult> TrialCache::find(const TrialKey& key) const {
    for (const json& trial : readTrials(m_file)) {
        if (!isOf(trial, key)) continue;
        const auto kernel = trial.find("kernel");
        const auto speed = trial.find("updatesPerSecond");
        if (kernel == trial.end() || !kernel->is_string() || speed == trial.end() ||
            !speed->is_number() || !(speed->get<double>() > 0))
            continue;
        return TrialResult{kernel->get<std::string>(), speed->get<double>()};
    }
    return {};
}

void TrialCache::keep(const TrialKey& key, const TrialResult& result) const noexcept {
    try {
        json trials = json::array();
        json trial = toJson(key);
        trial["kernel"] = result.kernel;
        trial["updatesPerSecond"] = result.updatesPerSecond;
        trials.push_back(trial);
        for (const json& other : readTrials(m_file))
            if (!isOf(other, key) && trials.size() < kMostTrials) trials.push_back(other);
        std::error_code ignored;
        std::filesystem::create_directories(m_file.parent_path(), ignored);
        const json content = {{"gantryKernelTrials", 1}, {"trials", trials}};
        writeFileAtomically(m_file, jsonText(content, 1) + "\n");
    } catch (...) {
        // The next run repeats the trial.
    }
}

}  // namespace gantry
