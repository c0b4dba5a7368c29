#include "ui/scene/graphics.h"

#include <QByteArray>

namespace gantry {

void prepareGraphics() {
    // VTK in Debian 12 uses OpenGL only through GLX, which Wayland offers only to X programs.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && !qEnvironmentVariableIsEmpty("DISPLAY"))
        qputenv("QT_QPA_PLATFORM", QByteArray("xcb"));
}

}  // namespace gantry
