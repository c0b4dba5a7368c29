#pragma once

namespace gantry {

/// Chooses the display through which the 3D views get OpenGL, unless the user has done so
/// (QT_QPA_PLATFORM). Must be called before the QApplication is made.
void prepareGraphics();

}  // namespace gantry
