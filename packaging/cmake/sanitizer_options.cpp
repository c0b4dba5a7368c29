// Linked into every program of a sanitised build; the runtimes ask these at their start.

extern "C" {

// A size that cannot be had is a ResourceError, as it is without the sanitizer.
const char* __asan_default_options();
const char* __asan_default_options() {
    return "allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1";
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
