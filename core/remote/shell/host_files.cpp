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

// "SIZE NAME", each with a null character behind it; names from "/" on are taken as below it.
std::vector<HostFile> filesIn(const HostShell& shell, const std::string& listed) {
    std::vector<HostFile> files;
    std::istringstream entries(listed);
    for (std::string entry; std::getline(entries, entry, '\0');) {
        const std::size_t blank = entry.find(' ');
        HostFile file;
        if (!(std::istringstream(entry.substr(0, blank)) >> file.bytes)) file.bytes = -1;
        file.name = blank == std::string::npos ? "" : entry.substr(blank + 1);
        if (file.name.starts_with('/')) file.name.erase(0, 1);
        if (!staysBelow(file.name) || file.bytes < 0)
            throwError<InputError>("{} lists a file with a name that is not taken: '{}'.",
                                   shell.hostName(), shownText(file.name));
        files.push_back(std::move(file));
    }
    return files;
}

}  // namespace

std::vector<HostFile> listFiles(const HostShell& shell, const std::string& folder,
                                const std::stop_token& stop) {
    const ShellAnswer answer = shell.run(
        {.script = R"(cd "$1" || exit 3; find . -type f -printf '%s %P\0')", .arguments = {folder}},
        stop);
    if (answer.code != 0)
        throwError<InputError>("{} has no folder {} any more.", shell.hostName(), folder);
    return filesIn(shell, answer.output);
}

std::vector<HostFile> listFilesOf(const HostShell& shell, const std::vector<std::string>& folders,
                                  const std::stop_token& stop) {
    const ShellAnswer answer = shell.run(
        {.script = R"(for d; do [ -d "$d" ] && find "$d" -type f -printf '%s %p\0'; done; exit 0)",
         .arguments = folders},
        stop);
    return filesIn(shell, answer.output);
}

Index bytesOf(const std::vector<HostFile>& files) {
    Index all = 0;
    for (const HostFile& file : files)
        all += file.bytes;
    return all;
}

}  // namespace gantry
