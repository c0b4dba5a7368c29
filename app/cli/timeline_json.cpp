#include "app/cli/timeline_json.h"

#include <string>

namespace gantry {

nlohmann::ordered_json timelineJson(const TimelineSummary& timeline) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (int i = 0; i < kStageCount; ++i) {
        const auto& stage = timeline.stages[i];
        if (stage.spans == 0) continue;
        stages.push_back({{"stage", std::string(name(static_cast<Stage>(i)))},
                          {"seconds", stage.seconds},
                          {"spans", stage.spans},
                          {"bytes", stage.bytes},
                          {"updates", stage.updates}});
    }
    nlohmann::ordered_json document = {{"stages", stages},
                                       {"wallSeconds", timeline.wallSeconds},
                                       {"overlapFactor", timeline.overlapFactor}};
    if (timeline.boundingStage >= 0)
        document["boundingStage"] = std::string(name(static_cast<Stage>(timeline.boundingStage)));
    return document;
}

}  // namespace gantry
