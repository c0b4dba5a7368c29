#include "core/remote/shell/ssh_words.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool isOwnFolder(const fs::path& folder) {
    struct stat facts {};
    constexpr mode_t kOthers = 077;
    return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == ::geteuid() && (facts.st_mode & kOthers) == 0;
}

// For the sockets of shared connections, which only this user may reach. It is made, or checked,
// each time.
fs::path connectionFolder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    fs::path folder = runtime && fs::path(runtime).is_absolute() && isOwnFolder(runtime)
                          ? fs::path(runtime) / "gantry"
                          : fs::path(fmt::format("/tmp/gantry-{}", ::geteuid()));
    constexpr mode_t kOwn = 0700;
    (void)::mkdir(folder.c_str(), kOwn);
    if (!isOwnFolder(folder))
        throwError<ResourceError>(
            "{} is not a folder that you alone may enter, which connections to hosts need. Remove "
            "it, or set its permissions to 0700.",
            folder.string());
    return folder;
}

struct Advice {
    const char* words;
    const char* sentence;
};

// The first matching one is used.
constexpr Advice kAdvices[] = {
    {"REMOTE HOST IDENTIFICATION HAS CHANGED",
     "Its key is not the one that was known: ask its administrator whether it was changed. Only "
     "then remove the old one by ssh-keygen -R and its address, and connect once in a terminal."},
    {"Host key verification failed",
     "Its key is not known yet: connect once in a terminal by ssh, compare the fingerprint with "
     "the one its administrator names, and accept it there."},
    {"Permission denied",
     "It does not accept your key. Load it by ssh-add, or ask the administrator to enter it."},
    {"Could not resolve", "Check the address in the host's file, the network and the VPN."},
    {"Connection refused",
     "Its ssh service does not run there, or has another port: check the "
     "address, or ask its administrator."},
    {"timed out", "Check the network and the VPN."},
    {"Bad owner or permissions", "Correct the permissions of that file."},
};

}  // namespace

std::vector<std::string> sshOptions() {
    std::vector<std::string> words;
    if (const char* file = std::getenv("GANTRY_SSH_CONFIG"))
        words.insert(words.end(), {"-F", file});
    std::string sockets = connectionFolder().string();
    for (std::size_t at = 0; (at = sockets.find('%', at)) != std::string::npos; at += 2)
        sockets.insert(at, 1, '%');
    for (const std::string& option :
         {std::string("BatchMode=yes"), std::string("ControlMaster=auto"),
          "ControlPath=\"" + sockets + "/%C\"", std::string("ControlPersist=60"),
          std::string("ConnectTimeout=10"), std::string("ServerAliveInterval=5"),
          std::string("ServerAliveCountMax=3"), std::string("ForwardAgent=no"),
          std::string("ForwardX11=no"), std::string("ClearAllForwardings=yes"),
          std::string("PermitLocalCommand=no"), std::string("RemoteCommand=none"),
          std::string("LogLevel=ERROR")})
        words.insert(words.end(), {"-o", option});
    return words;
}

std::string sshReason(std::string_view complaints) {
    std::string_view rest = trimmed(complaints);
    while (!rest.empty() && rest.back() == '\n')
        rest = trimmed(rest.substr(0, rest.size() - 1));
    // For a changed key, the line that reports it comes first; otherwise the last line is the
    // reason.
    const std::size_t changed = rest.find("REMOTE HOST IDENTIFICATION HAS CHANGED");
    if (changed != std::string_view::npos) return "\"REMOTE HOST IDENTIFICATION HAS CHANGED\".";
    const std::string last = shownText(rest.substr(rest.rfind('\n') + 1));
    return last.empty() ? "nothing." : withFullStop("\"" + last + "\"");
}

std::string sshAdvice(std::string_view complaints, const std::string& host) {
    for (const Advice& advice : kAdvices)
        if (complaints.find(advice.words) != std::string_view::npos) return advice.sentence;
    return fmt::format("Try ssh in a terminal; gantry host check {} tells more.", host);
}

}  // namespace gantry
