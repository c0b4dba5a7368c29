#include "core/recon/run_setup.h"

#include "core/base/error.h"

namespace gantry {

Index RunSetup::passOf(Index slab) const {
    for (Index i = 0; i < passCount(); ++i)
        for (const Assignment& part : pass(i).assignments)
            if (part.slab == slab) return i;
    throw InternalError("a slab is made that no pass has");
}

std::optional<Index> RunSetup::passAfter(Index made, const std::stop_token& stop) const {
    if (groups.nextPass) return groups.nextPass(stop);
    return made < std::ssize(plan.passes) ? std::optional(made) : std::nullopt;
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
    // A rank counts the gathered views that it reads, for the slabs of its whole column.
    for (const ColumnShare& share : this->pass(pass).column)
        if (share.slab) counted = hullOf(counted, slab(*share.slab).counted);
    for (const Assignment& part : this->pass(pass).assignments)
        counted = hullOf(counted, slab(part.slab).counted);
    return counted;
}

}  // namespace gantry
