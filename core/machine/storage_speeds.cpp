#include "core/machine/storage_speeds.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/this_machine.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Several machines may share users' folders, so the machine is part of the key.
nlohmann::json diskOf(const fs::path& folder) {
    return {{"machine", machineName()}, {"disk", mountOf(folder).string()}};
}

}  // namespace

fs::path mountOf(const fs::path& folder) {
    std::error_code error;
    fs::path at = fs::canonical(folder, error);
    if (error) return folder;
    const auto numberOf = [](const fs::path& path) {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_dev : dev_t{};
    };
    while (at.has_relative_path() && numberOf(at.parent_path()) == numberOf(at))
        at = at.parent_path();
    return at;
}

StorageSpeeds::StorageSpeeds(fs::path file)
    : m_kept(std::move(file), "gantryStorageSpeeds", "jobs") {}

std::map<std::string, double> StorageSpeeds::on(const fs::path& folder) const {
    std::map<std::string, double> speeds;
    for (const nlohmann::json& kept : m_kept.findAll(diskOf(folder))) {
        const auto kind = kept.find("kind");
        const double speed = positiveOf(kept, "bytesPerSecond");
        if (kind != kept.end() && kind->is_string() && speed > 0)
            speeds.emplace(kind->get<std::string>(), speed);
    }
    return speeds;
}

void StorageSpeeds::keep(const fs::path& folder, const std::string& kind,
                         double bytesPerSecond) const noexcept {
    try {
        nlohmann::json key = diskOf(folder);
        key["kind"] = kind;
        m_kept.keep(key, {{"bytesPerSecond", bytesPerSecond}});
    } catch (...) {
        // It is not an error: the next job will keep its speed.
    }
}

double storeSecondsOf(std::span<const TimelineSpan> spans) {
    std::vector<const TimelineSpan*> stores;
    for (const TimelineSpan& span : spans)
        if (span.stage == Stage::store) stores.push_back(&span);
    std::ranges::sort(stores, [](const TimelineSpan* a, const TimelineSpan* b) {
        return a->beginNs < b->beginNs;
    });
    std::int64_t busyNs = 0;
    std::int64_t end = 0;
    for (const TimelineSpan* span : stores) {
        busyNs += std::max<std::int64_t>(0, span->endNs - std::max(end, span->beginNs));
        end = std::max(end, span->endNs);
    }
    return 1e-9 * static_cast<double>(busyNs);
}

std::optional<double> storageRateOf(std::span<const TimelineSpan> spans, Index outputBytes,
                                    Index voxels) {
    constexpr double kMinSeconds = 0.02;
    double floatBytes = 0;
    for (const TimelineSpan& span : spans)
        if (span.stage == Stage::store) floatBytes += static_cast<double>(span.bytes);
    const double seconds = storeSecondsOf(spans);
    if (seconds < kMinSeconds || floatBytes <= 0) return std::nullopt;
    const double share = floatBytes / (sizeof(float) * static_cast<double>(voxels));
    return share * static_cast<double>(outputBytes) / seconds;
}

}  // namespace gantry
