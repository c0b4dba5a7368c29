#include "core/remote/transfer_call.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"

namespace gantry {

std::string transferScript(std::string text) {
    const std::string place = "NAME\n";
    const std::size_t at = text.find(place);
    return text.replace(at, place.size(), "n=$(printf '%b.' \"$w\"); n=${n%.}\n");
}

void failOnFolder(const HostShell& shell, const std::string& folder, const ShellAnswer& answer) {
    throw ResourceError(
        fmt::format("{}: the folder {} cannot be used: {} Check its permissions and the room on "
                    "its disk, then do the same again: what is there already stays.",
                    shell.hostName(), folder,
                    answer.complaints.empty() ? "it is not there." : answer.complaints + "."));
}

ShellAnswer askOfFolder(const HostShell& shell, const char* script, const std::string& folder,
                        std::string lines, const std::stop_token& stop) {
    ShellAnswer answer = shell.run({.script = transferScript(script),
                                    .arguments = {folder},
                                    .input = inputOf(std::move(lines)),
                                    .quietSeconds = kLongQuietSeconds},
                                   stop);
    if (answer.code != 0) failOnFolder(shell, folder, answer);
    return answer;
}

}  // namespace gantry
