#include "ui/models/scan/live_parameter.h"

#include <algorithm>

#include "ui/models/axis_ticks.h"
#include "ui/models/text.h"

namespace gantry {

QString LiveParameter::change() const {
    return tr("Change %1").arg(field.what);
}

std::vector<LiveParameter> liveParameters(const ScanFile& scan) {
    constexpr double kShareOfDistance = 2e-4;
    const std::vector<ScanField> fields = scanFields();
    std::vector<LiveParameter> all;
    const auto add = [&](const char* name, double step) {
        const auto field = std::ranges::find(fields, QLatin1String(name), &ScanField::name);
        if (field->applies(scan)) all.push_back({*field, step});
    };
    add("detector.axisColumn", 0.05);
    if (scan.geometry.isCone())
        add("trajectory.sourceToDetectorMm",
            niceAtMost(kShareOfDistance * std::max(1.0, scan.geometry.cone().sourceToDetectorMm)));
    add("detector.rollDeg", 0.02);
    add("detector.tiltDeg", 0.05);
    return all;
}

}  // namespace gantry
