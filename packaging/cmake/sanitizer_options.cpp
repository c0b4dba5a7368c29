// Linked into every program of a sanitised build; the runtimes ask these at their start.

extern "C" {

// A size that cannot be had is a ResourceError, as it is without the sanitizer. Freed memory is
// kept from use for a while; of the 256 MB that are usual, tests of windows spend a tenth of their
// time, and a twentieth on more than the last twelve callers of each block that is taken or freed.
const char* __asan_default_options();
const char* __asan_default_options() {
    return "allocator_may_return_null=1:detect_stack_use_after_return=1:quarantine_size_mb=32"
           ":malloc_context_size=12"
#if !defined(GANTRY_LOOSE_STRINGS)
           ":strict_string_checks=1"
#endif
        ;
}

// Libraries stay loaded to the end of the process, so that what those that others load keep is
// reported with their names, by which it is passed over.
int dlclose(void*);
int dlclose(void*) {
    return 0;
}

// What the software OpenGL driver (llvmpipe), its LLVM, Qt for each thread that had a context of
// OpenGL, the X, D-Bus and font libraries and Open MPI keep to the end of the process, and what
// libhdf5 loses where it gives a damaged file up; named by their files, so that nothing of ours is
// passed over. (Who prints into new texts is not seen: MPI does, Gantry does not.)
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
    return "leak:swrast_dri.so\n"
           "leak:libLLVM\n"
           "leak:libGLX_mesa.so\n"
           "leak:QOpenGLContextPrivate::setCurrentContext\n"
           "leak:libfontconfig.so\n"
           "leak:libdbus-1.so\n"
           "leak:libxcb\n"
           "leak:libX11.so\n"
           "leak:libhdf5_serial.so\n"
           "leak:libmpi.so\n"
           "leak:libopen-pal.so\n"
           "leak:libopen-rte.so\n"
           "leak:libpmix.so\n"
           "leak:libprrte.so\n"
           "leak:libhwloc.so\n"
           "leak:/mca_\n"
           "leak:__vasprintf_internal\n";
}

// What a program prints stays what it prints.
const char* __lsan_default_options();
const char* __lsan_default_options() {
    return "print_suppressions=0";
}

const char* __tsan_default_options();
const char* __tsan_default_options() {
    return "allocator_may_return_null=1:second_deadlock_stack=1";
}

const char* __ubsan_default_options();
const char* __ubsan_default_options() {
    return "print_stacktrace=1";
}
}
