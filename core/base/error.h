#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gantry {

/// The kind of an error, where code depends on it. Most errors need none. The names are stored in
/// the event logs of jobs: see name().
enum class ErrorCode {
    none,
    unknownFormat,  ///< a file whose format no reader knows
    notAScan,       ///< a JSON file that is no scan.json
    missingFile,    ///< no file or folder of that name
    damagedFile,    ///< a file that ends early or contradicts itself
    hostMemory,     ///< less memory than needed
    deviceMemory,   ///< less memory on a GPU than needed
    disk,           ///< less free space than needed
};
/// "deviceMemory"; empty for none
[[nodiscard]] std::string_view name(ErrorCode code) noexcept;
/// none for an unknown name
[[nodiscard]] ErrorCode parseErrorCode(std::string_view name) noexcept;

/// Details of an error beside its message.
struct ErrorDetails {
    ErrorCode code = ErrorCode::none;
    std::string advice = {};  ///< for the command line: "Use --memory 16G."
    std::string field = {};   ///< the JSON name of what is wrong: "trajectory.views"
};

/// Base of every error that Gantry throws on purpose. message() states what happened and what
/// helps, for any reader; what() adds the advice for the command line. Tests:
/// tests/core/base/error_test.cpp
class Error : public std::runtime_error {
  public:
    /// message and advice are sentences; a missing full stop of the message is added before the
    /// advice.
    explicit Error(std::string message, ErrorDetails details = {});

    [[nodiscard]] const std::string& message() const noexcept { return m_facts->message; }
    [[nodiscard]] ErrorCode code() const noexcept { return m_facts->details.code; }
    [[nodiscard]] const std::string& field() const noexcept { return m_facts->details.field; }
    [[nodiscard]] const ErrorDetails& details() const noexcept { return m_facts->details; }

  protected:
    Error(const std::string& what, std::string message, ErrorDetails details);

  private:
    struct Facts {
        std::string message;
        ErrorDetails details;
    };
    std::shared_ptr<const Facts> m_facts;  ///< shared, because errors must be copied without
                                           ///< failing
};

/// The user's data or request is wrong. The sentence names the file or field, the value found and
/// what is allowed.
class InputError : public Error {
  public:
    using Error::Error;
};

/// The value of a field is wrong. message() is for a form that shows the field; what() names the
/// field first: "trajectory.arcDeg: an arc of 90° is too short".
class FieldError : public InputError {
  public:
    FieldError(const std::string& field, const std::string& message);
};

/// Memory, disk or a device is not sufficient. The sentence states how much was needed and what to
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

/// The message of an Error, without advice for the command line; what() of any other. Ends in a
/// full stop, and marks an InternalError as such.
[[nodiscard]] std::string messageOf(const std::exception& error);
/// The code of an Error; none for any other, hostMemory for std::bad_alloc.
[[nodiscard]] ErrorDetails detailsOf(const std::exception& error);

/// Throws InternalError with the sentence unless the condition holds.
void require(bool condition, const char* sentence);

}  // namespace gantry
