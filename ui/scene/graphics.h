#pragma once

namespace gantry {

/// Chooses the display through which the 3D views get their OpenGL, unless the user has
/// (QT_QPA_PLATFORM). To be called before the QApplication is made.
void prepareGraphics();

}  // namespace gantry
