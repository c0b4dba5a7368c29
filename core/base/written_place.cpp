#include "core/base/written_place.h"

#include <cerrno>
#include <system_error>

#include "core/base/system_fault.h"

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

void makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throwSystemFault(folder, "cannot be made as a folder", error.value());
}

}  // namespace gantry
