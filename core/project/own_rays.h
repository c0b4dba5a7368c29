#pragma once

#include <algorithm>

#include "core/base/types.h"

namespace gantry {

/// Rays of views, [s][v][u], of which those of some rows count in this part of a problem.
struct OwnRays {
    Index rows = 0;
    Index columns = 0;
    IndexRange own;  ///< of the rows

    /// Calls visit(ray) for those of the rays [begin, end) that count, in order.
    template <class Visit>
    void visit(Index begin, Index end, const Visit& visit) const {
        for (Index i = begin; i < end;) {
            const Index line = i / columns;
            const Index lineEnd = std::min(end, (line + 1) * columns);
            if (own.contains(line % rows))
                for (; i < lineEnd; ++i)
                    visit(i);
            i = lineEnd;
        }
    }
};

}  // namespace gantry
