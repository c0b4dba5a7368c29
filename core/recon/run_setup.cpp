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

Index RunSetup::firstSlab(Index pass) const {
    const PassPlan& made = this->pass(pass);
    if (!made.assignments.empty()) return made.assignments.front().slab;
    for (const ColumnShare& share : made.column)
        if (share.slab) return *share.slab;
    return 0;
}

IndexRange RunSetup::countedIn(Index pass) const {
    IndexRange counted;
    // What is gathered is counted by those who read it.
    for (const ColumnShare& share : this->pass(pass).column)
        if (share.slab) counted = hullOf(counted, slab(*share.slab).counted);
    for (const Assignment& part : this->pass(pass).assignments)
        counted = hullOf(counted, slab(part.slab).counted);
    return counted;
}

}  // namespace gantry
