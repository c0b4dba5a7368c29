#include "core/remote/shell/host_files.h"

#include <algorithm>
#include <sstream>

#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool staysBelow(const fs::path& name) {
    return !name.empty() && name.is_relative() &&
           std::none_of(name.begin(), name.end(),
                        [](const fs::path& part) { return part == ".." || part.empty(); });
}

// "SIZE NAME"
HostFile fileIn(const HostShell& shell, const std::string& entry) {
    const std::size_t blank = entry.find(' ');
    HostFile file;
    if (!(std::istringstream(entry.substr(0, blank)) >> file.bytes)) file.bytes = -1;
    file.name = blank == std::string::npos ? "" : entry.substr(blank + 1);
    if (!staysBelow(file.name) || file.bytes < 0)
        throwError<InputError>("{} lists a file with a name that is not taken: '{}'.",
                               shell.hostName(), shownText(file.name));
    return file;
}

// Each entry has a null character behind it; an empty one ends a folder.
constexpr const char* kListFiles = R"sh(for d; do
  cd "$d" || exit 3
  find . -type f -printf '%s %P\0'
  printf '\0'
done)sh";

}  // namespace

std::vector<std::vector<HostFile>> listFiles(const HostShell& shell,
                                             const std::vector<std::string>& folders,
                                             const std::stop_token& stop) {
    const ShellAnswer answer = shell.run({.script = kListFiles, .arguments = folders}, stop);
    std::vector<std::vector<HostFile>> lists(1);
    std::istringstream entries(answer.output);
    for (std::string entry; std::getline(entries, entry, '\0');)
        if (entry.empty())
            lists.emplace_back();
        else
            lists.back().push_back(fileIn(shell, entry));
    lists.pop_back();
    if (lists.size() < folders.size())
        throwError<InputError>("{} has no folder {} any more.", shell.hostName(),
                               folders[lists.size()]);
    return lists;
}

Index bytesOf(const std::vector<HostFile>& files) {
    Index all = 0;
    for (const HostFile& file : files)
        all += file.bytes;
    return all;
}

}  // namespace gantry
