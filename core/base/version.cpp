#include "core/base/version.h"

namespace gantry {

std::string_view programVersion() {
    return GANTRY_VERSION;
}

}  // namespace gantry
