#include "core/remote/action/host_scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/job/remote_job.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

namespace {

// Names there are this program's own: "jobs/20261124-220512-1f3a", "data/scan-0a1b2c3d".
constexpr const char* kList = R"sh(cd "$scratch" 2>/dev/null || exit 0
echo "place $(pwd)"
for d in jobs/[0-9]* data/scan-*; do
  if [ -d "$d" ]; then du -sk "$d"; fi
done)sh";

constexpr const char* kRemove = R"sh(for d; do
case $d in */jobs/[0-9]*|*/data/scan-*) rm -rf "$d" || exit 4;; esac
done)sh";

bool isOwnName(const std::string& name) {
    return (name.starts_with("jobs/") || name.starts_with("data/scan-")) &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
           });
}

std::set<std::string> foldersInUse() {
    std::set<std::string> used;
    for (const RemoteJob& job : remoteJobs()) {
        const bool isWanted = job.state == RemoteState::done && !job.isFetched;
        const bool canResume = job.state == RemoteState::stopped;
        if (hasEnded(job.state) && !isWanted && !canResume) continue;
        used.insert(job.place);
        used.insert(job.data);
    }
    return used;
}

}  // namespace

std::vector<ScratchFolder> unusedFolders(const Host& host, const std::stop_token& stop) {
    const HostShell shell(host);
    const ShellAnswer answer =
        shell.run({.script = fmt::format("scratch={}\n{}", placeWord(host.scratch), kList),
                   .quietSeconds = 600,
                   .maxSeconds = 6000},
                  stop);
    const std::set<std::string> used = foldersInUse();
    std::vector<ScratchFolder> folders;
    std::istringstream lines(answer.output);
    std::string place;
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kPlace = "place ";
        if (line.starts_with(kPlace)) {
            place = line.substr(kPlace.size());
            continue;
        }
        std::istringstream words(line);
        Index kilobytes = 0;
        std::string name;
        words >> kilobytes >> name;
        constexpr Index kKb = 1024;
        if (!place.starts_with('/') || !isOwnName(name)) continue;
        if (const std::string path = fmt::format("{}/{}", place, name); !used.contains(path))
            folders.push_back({path, kKb * kilobytes});
    }
    return folders;
}

void removeFolders(const Host& host, const std::vector<ScratchFolder>& folders,
                   const std::stop_token& stop) {
    std::vector<std::string> paths;
    paths.reserve(folders.size());
    for (const ScratchFolder& folder : folders)
        paths.push_back(folder.path);
    const ShellAnswer answer = HostShell(host).run(
        {.script = kRemove, .arguments = paths, .quietSeconds = 600, .maxSeconds = 6000}, stop);
    if (answer.code != 0)
        throw ResourceError(
            fmt::format("{}: not all could be removed: {}.", host.name, answer.complaints));
}

}  // namespace gantry
