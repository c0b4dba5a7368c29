#pragma once

#include <fmt/core.h>

#include <utility>

#include "core/base/error.h"

namespace gantry {

/// Throws an error whose message has values in it, as fmt::format() puts them there:
/// throwError<InputError>("--threads is {}; it must be 0 or more.", threads).
template <class Failure, class... Values>
[[noreturn]] void throwError(fmt::format_string<Values...> message, Values&&... values) {
    throw Failure(fmt::format(message, std::forward<Values>(values)...));
}

/// The same for an error that names a place before its message: a FileError or a FieldError.
template <class Failure, class Place, class... Values>
[[noreturn]] void throwErrorOf(const Place& place, fmt::format_string<Values...> message,
                               Values&&... values) {
    throw Failure(place, fmt::format(message, std::forward<Values>(values)...));
}

}  // namespace gantry
