#include "app/bench/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Where a child prints to.
class Redirection {
  public:
    Redirection(const fs::path& out, const fs::path& err) {
        ::posix_spawn_file_actions_init(&m_actions);
        add(STDIN_FILENO, "/dev/null", O_RDONLY);
        add(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
        add(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    }
    ~Redirection() { ::posix_spawn_file_actions_destroy(&m_actions); }
    Redirection(const Redirection&) = delete;
    Redirection& operator=(const Redirection&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &m_actions; }

  private:
    void add(int descriptor, const fs::path& path, int flags) {
        ::posix_spawn_file_actions_addopen(&m_actions, descriptor, path.c_str(), flags, 0600);
    }

    posix_spawn_file_actions_t m_actions{};
};

pid_t start(const std::vector<std::string>& words, const Redirection& redirection) {
    const std::string program = programPath().string();
    std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failure = ::posix_spawn(&child, program.c_str(), redirection.actions(), nullptr,
                                      arguments.data(), environ);
    if (failure != 0)
        throw InputError(fmt::format("{} cannot be started: {}.", program,
                                     std::generic_category().message(failure)));
    return child;
}

// Its exit code; -1 where a signal ended it. Asked to stop, it is asked to as well.
int endOf(pid_t child, const std::stop_token& stop) {
    constexpr auto kLook = std::chrono::milliseconds(5);
    bool isAsked = false;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (stop.stop_requested() && !std::exchange(isAsked, true)) ::kill(child, SIGTERM);
        std::this_thread::sleep_for(kLook);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The program ends a failure with one line, "gantry: …".
std::string sentenceOf(const std::string& printed) {
    constexpr std::string_view kBefore = "gantry: ";
    const std::size_t begin = printed.rfind(kBefore);
    if (begin == std::string::npos) return "The program ended unexpectedly.";
    const std::size_t first = begin + kBefore.size();
    return printed.substr(first, printed.find('\n', first) - first);
}

}  // namespace

fs::path programPath() {
    return fs::read_symlink("/proc/self/exe");
}

std::string outputOfProgram(const std::vector<std::string>& words, const fs::path& scratch,
                            const std::stop_token& stop) {
    const fs::path out = scratch / "printed.txt";
    const fs::path err = scratch / "failed.txt";
    const int code = endOf(start(words, Redirection(out, err)), stop);
    if (stop.stop_requested()) throw Cancelled();
    if (code != 0) throw InputError(sentenceOf(readTextFile(err)));
    return readTextFile(out);
}

}  // namespace gantry
