#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <new>

#include "core/base/text.h"

namespace gantry {

namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "",           "unknownFormat", "notAScan", "missingFile", "damagedFile",
    "hostMemory", "deviceMemory",  "disk"};

std::string withAdvice(const std::string& message, const std::string& advice) {
    if (advice.empty()) return message;
    return withFullStop(message) + " " + advice;
}

}  // namespace

std::string_view name(ErrorCode code) noexcept {
    return kNames[static_cast<std::size_t>(code)];
}

ErrorCode parseErrorCode(std::string_view name) noexcept {
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? ErrorCode::none : static_cast<ErrorCode>(found - kNames.begin());
}

Error::Error(std::string message, ErrorDetails details)
    : std::runtime_error(withAdvice(message, details.advice)),
      m_facts(std::make_shared<const Facts>(Facts{std::move(message), std::move(details)})) {}

Error::Error(const std::string& what, std::string message, ErrorDetails details)
    : std::runtime_error(what),
      m_facts(std::make_shared<const Facts>(Facts{std::move(message), std::move(details)})) {}

FieldError::FieldError(const std::string& field, const std::string& message)
    : InputError(field + ": " + message, message, {.field = field}) {}

std::string messageOf(const std::exception& error) {
    const auto* const ours = dynamic_cast<const Error*>(&error);
    std::string message = withFullStop(ours ? ours->message() : error.what());
    if (!dynamic_cast<const InternalError*>(&error)) return message;
    return "Internal error: " + message + " Please report it to the developers of Gantry.";
}

ErrorDetails detailsOf(const std::exception& error) {
    if (const auto* const ours = dynamic_cast<const Error*>(&error)) return ours->details();
    const bool isMemory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    return {isMemory ? ErrorCode::hostMemory : ErrorCode::none};
}

void require(bool condition, const char* sentence) {
    if (!condition) throw InternalError(sentence);
}

}  // namespace gantry
