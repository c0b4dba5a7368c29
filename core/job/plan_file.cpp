#include "core/job/plan_file.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/job/index_ranges_json.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPlanFile = "plan.json";

Json toJson(const DevicePlan& device) {
    return {{"device", device.device},
            {"name", device.name},
            {"kernel", device.kernel.kernel.name},
            {"updatesPerSecond", device.kernel.updatesPerSecond},
            {"memoryBytes", device.bytes},
            {"memoryAllowedBytes", device.budgetBytes}};
}

Json toJson(const SlabPlan& slab) {
    Json slices = Json::array();
    for (const IndexRange& part : slab.slices.parts())
        slices.push_back(toJson(IndexRanges(part)));
    return {{"slices", slices}, {"rows", toJson(slab.rows)}};
}

Json toJson(const PassPlan& pass) {
    Json assignments = Json::array();
    for (const Assignment& part : pass.assignments)
        assignments.push_back({{"rank", part.rank},
                               {"device", part.device},
                               {"slab", part.slab},
                               {"views", toJson(IndexRanges(part.views))}});
    return {{"rows", toJson(pass.rows)}, {"assignments", assignments}};
}

template <class T>
Json listOf(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values)
        list.push_back(toJson(value));
    return list;
}

}  // namespace

void writePlan(const std::filesystem::path& folder, const JobPlan& plan,
               const std::vector<RankPlan>& ranks) {
    constexpr std::array kHandedOver = {"stored", "prepared", "filtered"};
    constexpr std::array kPlaces = {"host", "device", "blocksOnDevice"};
    Json document = {{"engine", plan.engine == EngineKind::cpu ? kCpuWord : kGpuWord},
                     {"devices", listOf(plan.devices)},
                     {"threads", plan.threads},
                     {"batchViews", plan.batchViews},
                     {"ringSlots", plan.ringSlots},
                     {"chunkSlices", plan.chunkSlices},
                     {"chunkSlots", plan.chunkSlots},
                     {"storeLanes", plan.storeLanes},
                     {"handedOver", kHandedOver[static_cast<std::size_t>(plan.handedOver)]},
                     {"memoryBytes", plan.hostBytes},
                     {"memoryAllowedBytes", plan.budgetBytes},
                     {"slabs", listOf(plan.slabs)},
                     {"passes", listOf(plan.passes)},
                     {"notes", plan.notes}};
    if (plan.iterations)
        document["iterations"] = {
            {"method", plan.iterations->method},
            {"max", plan.iterations->iterations},
            {"slabSlices", plan.iterations->slabSlices},
            {"memoryBytes", plan.iterations->bytes},
            {"place", kPlaces[static_cast<std::size_t>(plan.iterations->place)]},
            {"devices", plan.iterations->devices},
            {"deviceMemoryBytes", plan.iterations->deviceBytes},
            {"stateBytes", plan.iterations->stateBytes}};
    if (plan.areStepsOnDevice) document["correctedOn"] = kGpuWord;
    if (plan.filteredFrom)
        document["filteredFrom"] = kHandedOver[static_cast<std::size_t>(*plan.filteredFrom)];
    if (plan.part) {
        document["grid"] = toJson(plan.part->plan);
        document["ranks"] = listOf(ranks);
    }
    writeFileAtomically(folder / kPlanFile, jsonText(document) + "\n");
}

std::optional<GridPlan> readGridPlan(const std::filesystem::path& folder) {
    try {
        const nlohmann::json document = readJsonFile(folder / kPlanFile);
        const auto grid = document.find("grid");
        return grid == document.end() ? std::nullopt : parseGridPlan(*grid);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace gantry
