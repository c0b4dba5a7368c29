#include "ui/scene/graphics.h"

#include <QByteArray>

namespace gantry {

void prepareGraphics() {
    // VTK of Debian 12 reaches OpenGL through GLX alone, which Wayland has for X programs only.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && !qEnvironmentVariableIsEmpty("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", QByteArray("xcb"));
}

}  // namespace gantry
