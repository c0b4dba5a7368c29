#include "ui/scene/volume/ray_cast_request.h"

#include <algorithm>

namespace gantry {

LookPoint lookAt(double share) {
    const auto after =
        std::find_if(kShadedLook.begin(), kShadedLook.end(),
                     [share](const LookPoint& point) { return point.share >= share; });
    if (after == kShadedLook.begin()) return *after;
    if (after == kShadedLook.end()) return kShadedLook.back();
    const LookPoint& a = *(after - 1);
    const double part = (share - a.share) / (after->share - a.share);
    return {share, a.opacity + part * (after->opacity - a.opacity),
            a.brightness + part * (after->brightness - a.brightness)};
}

}  // namespace gantry
