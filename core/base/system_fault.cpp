#include "core/base/system_fault.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "core/base/throw_error.h"

namespace gantry {

std::string systemReason(int code) {
    switch (code) {
        case ENOENT:
            return "there is no such file or folder";
        case ENOTDIR:
            return "part of its path is a file, not a folder";
        case EACCES:
        case EPERM:
            return "permission denied; check its permissions and its owner";
        case EROFS:
            return "its disk is read-only; choose another place";
        case ENAMETOOLONG:
            return "its name is longer than the disk allows; choose a shorter one";
        case EFBIG:
            return "it would be larger than a file may be here; see ulimit -f, or choose another "
                   "place";
        case EIO:
            return "the disk reports a fault when it reads or writes; check the disk";
        default:
            return std::generic_category().message(code);
    }
}

namespace {

bool isOfTheDisk(int code) noexcept {
    return code == EIO || code == EREMOTEIO || code == ESTALE || code == ETIMEDOUT ||
           code == ENODEV;
}

}  // namespace

bool isMachinesFault(int code) noexcept {
    switch (code) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case ENOMEM:
        case EMFILE:
        case ENFILE:
        case ENOLCK:
            return true;
        default:
            return isOfTheDisk(code);
    }
}

void throwSystemFault(const std::filesystem::path& path, const char* what, int code) {
    if (code == EISDIR)
        throwError<InputError>("{} {}: it is a folder, and a file is needed.", path.string(), what);
    const std::string sentence = fmt::format("{} {}: {}", path.string(), what, systemReason(code));
    if (code == ENOSPC || code == EDQUOT)
        throw ResourceError(sentence + ". Free space, or choose another place.",
                            {.code = ErrorCode::disk});
    if (code == EFBIG) throw ResourceError(sentence + ".", {.code = ErrorCode::disk});
    if (code == ENOMEM)
        throw ResourceError(sentence + ". Close other programs, or free space.",
                            {.code = ErrorCode::hostMemory});
    if (isOfTheDisk(code)) throw DiskFault(sentence + ".");
    if (isMachinesFault(code)) throw ResourceError(sentence + ".");
    throw InputError(sentence + ".",
                     {.code = code == ENOENT ? ErrorCode::missingFile : ErrorCode::none});
}

int exitCodeOf(const std::exception& error) noexcept {
    constexpr int kFailed = 1;
    constexpr int kWrongInput = 2;
    constexpr int kCancelled = 130;
    if (dynamic_cast<const Cancelled*>(&error)) return kCancelled;
    if (dynamic_cast<const DiskFault*>(&error)) return kFailed;
    if (dynamic_cast<const InputError*>(&error)) return kWrongInput;
    // A call of the standard library that no caller has checked.
    if (const auto* const system = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
        return isMachinesFault(system->code().value()) ? kFailed : kWrongInput;
    return kFailed;
}

}  // namespace gantry
