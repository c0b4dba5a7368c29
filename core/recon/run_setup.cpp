#include "core/recon/run_setup.h"

#include <algorithm>

#include "core/base/error.h"

namespace gantry {

Index RunSetup::passOf(Index slab) const {
    const auto makes = [slab](const PassPlan& pass) {
        return std::any_of(pass.assignments.begin(), pass.assignments.end(),
                           [slab](const Assignment& part) { return part.slab == slab; });
    };
    const auto found = std::find_if(plan.passes.begin(), plan.passes.end(), makes);
    require(found != plan.passes.end(), "a slab is made that no pass has");
    return found - plan.passes.begin();
}

IndexRange RunSetup::countedIn(Index pass) const {
    IndexRange counted;
    for (const Assignment& part : this->pass(pass).assignments)
        counted = hullOf(counted, slab(part.slab).counted);
    return counted;
}

}  // namespace gantry
