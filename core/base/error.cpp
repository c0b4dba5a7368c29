#include "core/base/error.h"

namespace gantry {

void require(bool condition, const char* sentence) {
    if (!condition) throw InternalError(sentence);
}

}  // namespace gantry
