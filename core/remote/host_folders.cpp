#include "core/remote/host_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/remote/shell_text.h"

namespace gantry {

namespace {

// Folders that are reached by links count; at most so many names.
constexpr const char* kListFolder = R"sh(cd "$place" || exit 3
printf 'p%s\0' "$(pwd)"
for n in *; do
  if [ -d "./$n" ]; then printf 'd%s\0' "$n"
  else case $n in *.json) if [ -f "./$n" ]; then printf 's%s\0' "$n"; fi;; esac; fi
done | head -c 1000000
exit 0)sh";

}  // namespace

HostFolder readHostFolder(const HostShell& shell, const std::string& place,
                          const std::stop_token& stop) {
    const std::string word = place == "~" ? "~/" : place;
    if (!isPlace(word))
        throw InputError(fmt::format("'{}' is no place on {}: it must begin with /, ~/ or $NAME/.",
                                     shownText(place), shell.hostName()));
    const ShellAnswer answer =
        shell.run({.script = fmt::format("place={}\n{}", placeWord(word), kListFolder)}, stop);
    if (answer.code != 0)
        throw InputError(fmt::format("{} cannot read {}: {}.", shell.hostName(), shownText(place),
                                     answer.complaints));
    HostFolder folder;
    std::istringstream entries(answer.output);
    for (std::string entry; std::getline(entries, entry, '\0');) {
        if (entry.size() < 2) continue;
        const char kind = entry[0];
        entry.erase(0, 1);
        if (kind == 'p') folder.path = entry;
        if (kind == 'd') folder.folders.push_back(entry);
        if (kind == 's') folder.scans.push_back(entry);
    }
    if (!folder.path.starts_with('/'))
        throw InputError(
            fmt::format("{} did not say what {} holds.", shell.hostName(), shownText(place)));
    std::sort(folder.folders.begin(), folder.folders.end());
    std::sort(folder.scans.begin(), folder.scans.end());
    return folder;
}

}  // namespace gantry
