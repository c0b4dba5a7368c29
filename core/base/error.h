#pragma once

#include <stdexcept>
#include <string>

namespace gantry {

/// Base of every error that Gantry throws on purpose; what() is one sentence for the user.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The user's data or request is wrong. The sentence names the file or field, the value found and
/// what is allowed.
class InputError : public Error {
  public:
    using Error::Error;
};

/// Memory, disk or a device does not suffice. The sentence says how much was needed and what to
/// change.
class ResourceError : public Error {
  public:
    using Error::Error;
};

/// A fault in Gantry itself.
class InternalError : public Error {
  public:
    using Error::Error;
};

/// The user asked to stop.
class Cancelled : public Error {
  public:
    Cancelled() : Error("cancelled") {}
};

/// Throws InternalError with the sentence unless the condition holds.
void require(bool condition, const char* sentence);

}  // namespace gantry
