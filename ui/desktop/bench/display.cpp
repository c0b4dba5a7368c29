#include "ui/desktop/bench/display.h"

#include <cstdlib>

#include "core/base/error.h"

namespace gantry {

bool hasDisplay() {
    for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (const char* value = std::getenv(name); value && *value) return true;
    return false;
}

void requireDisplay() {
    if (hasDisplay()) return;
    throw InputError(
        "No display was found for the desktop: neither DISPLAY nor WAYLAND_DISPLAY is set. The "
        "command line works without one: see gantry --help.");
}

}  // namespace gantry
