#include "core/base/this_machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kUnknown = std::numeric_limits<Index>::max();

// The number that follows `wanted` at the front of a line.
Index numberOf(const char* wanted, const fs::path& path) {
    std::ifstream file(path);
    std::string key;
    Index value = 0;
    std::string rest;
    while (file >> key >> value) {
        if (key == wanted) return value;
        std::getline(file, rest);
    }
    return kUnknown;
}

Index kernelEstimate() {
    const Index kibibytes = numberOf("MemAvailable:", "/proc/meminfo");
    return kibibytes == kUnknown ? kUnknown : kibibytes * 1024;
}

Index numberIn(const fs::path& path) {
    std::ifstream file(path);
    Index value = 0;
    return file >> value ? value : kUnknown;  // an unlimited group says "max"
}

// Names of the files of one version of control groups.
struct GroupFiles {
    const char* mount;
    const char* limit;
    const char* used;
    const char* cached;  // in memory.stat
};

constexpr GroupFiles kVersion1 = {"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                  "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

Index roomOfGroup(const fs::path& folder, const GroupFiles& files) {
    const Index limit = numberIn(folder / files.limit);
    const Index used = numberIn(folder / files.used);
    if (limit == kUnknown || used == kUnknown) return kUnknown;
    // Cached files count as used, though the kernel frees them on demand.
    const Index cached = numberOf(files.cached, folder / "memory.stat");
    return std::max<Index>(0, limit - used + (cached == kUnknown ? 0 : cached));
}

// Every group limits those within it. Inside a container the mount may begin at its own group; the
// groups outside are then not visible.
Index roomUpwards(const fs::path& root, std::string_view group, const GroupFiles& files) {
    const fs::path mount = root / files.mount;
    fs::path inner = fs::path(group).lexically_normal().relative_path();
    Index room = roomOfGroup(mount, files);
    for (; !inner.empty(); inner = inner.parent_path())
        room = std::min(room, roomOfGroup(mount / inner, files));
    return room;
}

bool listsMemory(std::string_view controllers) {
    while (!controllers.empty()) {
        const std::size_t comma = std::min(controllers.find(','), controllers.size());
        if (controllers.substr(0, comma) == "memory") return true;
        controllers.remove_prefix(std::min(comma + 1, controllers.size()));
    }
    return false;
}

}  // namespace

// Lines are "number:controllers:group"; version 2 has number 0 and no controllers.
Index containerRoomBytes(const fs::path& root) {
    Index room = kUnknown;
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string_view all = line;
        const std::string_view controllers = all.substr(first + 1, second - first - 1);
        const std::string_view group = all.substr(second + 1);
        if (controllers.empty())
            room = std::min(room, roomUpwards(root, group, kVersion2));
        else if (listsMemory(controllers))
            room = std::min(room, roomUpwards(root, group, kVersion1));
    }
    return room;
}

Index availableMemoryBytes() {
    return std::min(kernelEstimate(), containerRoomBytes());
}

Index peakResidentBytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<Index>(usage.ru_maxrss) * 1024;
}

std::string machineName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace gantry
