// For programs with the desktop: libxkbcommon-x11 hands strndup() texts of a known length that end
// without a zero, which is allowed and which strict checks of strings take for an overrun.
#define GANTRY_LOOSE_STRINGS
#include "packaging/cmake/sanitizer_options.cpp"
