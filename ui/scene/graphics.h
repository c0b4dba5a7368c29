#pragma once

namespace gantry {

/// Asks for the OpenGL that the 3D views need. To be called before the QApplication is made.
void prepareGraphics();

}  // namespace gantry
