#include "core/remote/shell/host_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace {

constexpr std::size_t kMaxListed = 1'000'000;  // the same limit as in the script below

// Includes folders that are reached by links, and limits the bytes of names. A folder's name may
// end in a newline, which $(pwd) would lose.
constexpr const char* kListFolder = R"sh(if ! cd "$place" 2>/dev/null; then
  [ -d "$place" ] && exit 4
  [ -e "$place" ] && exit 5
  exit 3
fi
[ -r . ] || exit 4
p=$(pwd; echo .)
printf 'p%s\0' "${p%??}"
for n in *; do
  if [ -d "./$n" ]; then printf 'd%s\0' "$n"
  else case $n in *.json) if [ -f "./$n" ]; then printf 's%s\0' "$n"; fi;; esac; fi
done 2>/dev/null | head -c 1000000
exit 0)sh";

[[noreturn]] void failToRead(const std::string& host, const std::string& place,
                             const ShellAnswer& answer) {
    constexpr int kIsNotThere = 3;
    constexpr int kIsClosed = 4;
    constexpr int kIsAFile = 5;
    const std::string shown = shownText(place);
    if (answer.code == kIsNotThere) throwError<InputError>("{} has no folder {}.", host, shown);
    if (answer.code == kIsClosed)
        throwError<InputError>("{} does not let you read {}.", host, shown);
    if (answer.code == kIsAFile)
        throwError<InputError>("{}: {} is a file, not a folder.", host, shown);
    throwError<InputError>("{} cannot read {}: {}.", host, shown, answer.complaints);
}

}  // namespace

HostFolder readHostFolder(const HostShell& shell, const std::string& place,
                          const std::stop_token& stop) {
    const std::string word = place == "~" ? "~/" : place;
    if (!isPlace(word))
        throwError<InputError>("'{}' is no place on {}: it must begin with /, ~/ or $NAME/.",
                               shownText(place), shell.hostName());
    const ShellAnswer answer =
        shell.run({.script = fmt::format("place={}\n{}", placeWord(word), kListFolder)}, stop);
    if (answer.code != 0) failToRead(shell.hostName(), place, answer);
    HostFolder folder;
    // A name that is cut off at the end is dropped.
    const std::size_t end = answer.output.find_last_of('\0');
    const std::string whole = answer.output.substr(0, end == std::string::npos ? 0 : end + 1);
    folder.isCut = whole.size() < answer.output.size() || whole.size() >= kMaxListed;
    std::istringstream entries(whole);
    for (std::string entry; std::getline(entries, entry, '\0');) {
        if (entry.size() < 2) continue;
        const char kind = entry[0];
        entry.erase(0, 1);
        if (kind == 'p') folder.path = entry;
        if (kind == 'd') folder.folders.push_back(entry);
        if (kind == 's') folder.scans.push_back(entry);
    }
    if (!folder.path.starts_with('/'))
        throwError<InputError>("{} did not say what {} holds.", shell.hostName(), shownText(place));
    std::sort(folder.folders.begin(), folder.folders.end());
    std::sort(folder.scans.begin(), folder.scans.end());
    return folder;
}

}  // namespace gantry
