#include "core/base/written_place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/base/file.h"
#include "core/base/system_fault.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace fs = std::filesystem;

fs::path writtenPlace(const fs::path& path) {
    constexpr int kMaxLinks = 40;  // as the system's own
    std::error_code error;
    fs::path place = path;
    for (int i = 0; i < kMaxLinks && fs::is_symlink(place, error); ++i) {
        const fs::path target = fs::read_symlink(place, error);
        if (error) throwSystemFault(path, "cannot be written", error.value());
        // Descriptors of this process, as /dev/stdout, have targets that are no names.
        if (place.string().starts_with("/proc/")) return place;
        place = place.parent_path() / target;
    }
    if (fs::is_symlink(place, error)) throwSystemFault(path, "cannot be written", ELOOP);
    return place;
}

bool isSpecial(const fs::path& place) {
    struct stat status {};
    return ::stat(place.c_str(), &status) == 0 &&
           (!S_ISREG(status.st_mode) || place.string().starts_with("/proc/"));
}

void replaceFile(const fs::path& path, const std::function<void(const fs::path& part)>& write) {
    const fs::path place = writtenPlace(path);
    if (isFolder(place)) throwSystemFault(path, "cannot be written", EISDIR);
    if (isSpecial(place))
        throwError<InputError>("{} cannot be written: it is not a regular file.", path.string());
    fs::path part = place;
    part += fmt::format(".{}.part", ::getpid());
    try {
        write(part);
        renameFile(part, place);
    } catch (...) {
        std::error_code ignored;
        fs::remove(part, ignored);
        throw;
    }
}

void makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throwSystemFault(folder, "cannot be made as a folder", error.value());
}

}  // namespace gantry
