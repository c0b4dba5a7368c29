// For programs with the desktop: libxkbcommon-x11 hands strndup() texts of a known length that end
// without a zero, which is allowed and which strict checks of strings take for an overrun.
#define GANTRY_LOOSE_STRINGS
#include "packaging/cmake/sanitizer_options.cpp"

// Libraries stay loaded to the end of the process, so that what the OpenGL driver's keep is
// reported with their names, by which it is passed over.
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) {
    return 0;
}
