#include "core/base/run_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr std::size_t kPipeBytes = 256 * 1024;
constexpr Index kMaxComplaints = 64 * 1024;

class Descriptor {
  public:
    explicit Descriptor(int number = -1) : m_number(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const { return m_number; }
    [[nodiscard]] bool isOpen() const { return m_number >= 0; }
    void take(int number) {
        close();
        m_number = number;
    }
    void close() {
        if (m_number >= 0) ::close(m_number);
        m_number = -1;
    }

  private:
    int m_number;
};

[[noreturn]] void failToStart(const std::string& program, int error) {
    const std::string why = error == ENOENT ? "is not installed, or not in the PATH"
                                            : std::generic_category().message(error);
    throwError<ResourceError>("The program {} cannot be started: it {}.", program, why);
}

// Error output is read when the program has ended, because processes that it leaves may keep it
// open. The file has a size limit, so that no program fills the memory.
int complaintsFile() {
    const int file = ::memfd_create("complaints", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (::ftruncate(file, kMaxComplaints) != 0 ||
        ::fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
        ::close(file);
        return -1;
    }
    return file;
}

std::string complaintsIn(int file) {
    const off_t end = ::lseek(file, 0, SEEK_CUR);  // the program has moved it
    std::string text(std::clamp<off_t>(end, 0, kMaxComplaints), '\0');
    const ssize_t got = ::pread(file, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

// The pipe ends of this process, and those of the program.
struct Channels {
    Descriptor input, output, complaints;
    Descriptor theirInput, theirOutput;

    explicit Channels(bool hasInput) {
        // A socket, because writing to it after its reader has gone raises no signal.
        std::array<int, 2> ends{};
        if (hasInput) {
            if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail();
            input.take(ends[0]);
            theirInput.take(ends[1]);
            ::fcntl(input.number(), F_SETFL, O_NONBLOCK);
        }
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail();
        output.take(ends[0]);
        theirOutput.take(ends[1]);
        ::fcntl(output.number(), F_SETFL, O_NONBLOCK);
        complaints.take(complaintsFile());
        if (!complaints.isOpen()) fail();
    }
    [[noreturn]] static void fail() {
        throwError<ResourceError>("The system gives no channel to another program: {}.",
                                  std::generic_category().message(errno));
    }
};

// Owns posix_spawn's attributes, which must be released.
struct SpawnRequest {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};

    explicit SpawnRequest(const Channels& channels) {
        ::posix_spawn_file_actions_init(&files);
        if (channels.theirInput.isOpen())
            ::posix_spawn_file_actions_adddup2(&files, channels.theirInput.number(), STDIN_FILENO);
        else
            ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files, channels.theirOutput.number(), STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&files, channels.complaints.number(), STDERR_FILENO);
        // Threads of this program block signals that must be able to end the other one.
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        ::posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnRequest() {
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&files);
    }
    SpawnRequest(const SpawnRequest&) = delete;
    SpawnRequest& operator=(const SpawnRequest&) = delete;
};

std::vector<std::string> environmentOf(const ProcessCall& call) {
    std::vector<std::string> all;
    for (char** variable = environ; variable && *variable; ++variable) {
        const std::string text = *variable;
        const std::string name = text.substr(0, text.find('='));
        const bool isReplaced = std::ranges::any_of(
            call.environment, [&](const auto& own) { return own.first == name; });
        if (!isReplaced) all.push_back(text);
    }
    for (const auto& [name, value] : call.environment)
        all.push_back(fmt::format("{}={}", name, value));
    return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

pid_t spawn(const ProcessCall& call, Channels& channels) {
    require(!call.words.empty(), "a process needs a program");
    std::vector<std::string> words = call.words;
    std::vector<std::string> environment = environmentOf(call);
    for (const std::vector<std::string>* texts : {&words, &environment})
        for (const std::string& text : *texts)
            if (text.find('\0') != std::string::npos)
                throw InputError("A word for another program holds a null character.");
    const SpawnRequest request(channels);
    pid_t child = 0;
    const int error =
        ::posix_spawnp(&child, words.front().c_str(), &request.files, &request.attributes,
                       pointersTo(words).data(), pointersTo(environment).data());
    if (error != 0) failToStart(words.front(), error);
    channels.theirInput.close();
    channels.theirOutput.close();
    return child;
}

// A running program. Its number stays reserved until end() has collected its exit.
class Running {
  public:
    Running(const ProcessCall& call, const std::stop_token& stop)
        : m_call(call),
          m_stop(stop),
          m_channels(static_cast<bool>(call.input)),
          m_child(spawn(call, m_channels)),
          m_handle(static_cast<int>(::syscall(SYS_pidfd_open, m_child, 0))) {}
    ~Running() { finish(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    ProcessEnd end();

  private:
    [[nodiscard]] bool hasEnded() const {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(m_child), &info, WEXITED | WNOHANG | WNOWAIT) ==
                   0 &&
               info.si_pid == m_child;
    }
    // The process or group that signals are sent to.
    [[nodiscard]] pid_t whole() const { return m_call.leavesGroup ? m_child : -m_child; }
    void waitForSomething();
    bool give();
    bool take();
    void endGroup();
    int finish();

    const ProcessCall& m_call;
    const std::stop_token& m_stop;
    Channels m_channels;
    pid_t m_child;
    Descriptor m_handle;
    bool m_isTaken = false;
    ProcessEnd m_end;
    std::array<std::byte, kPipeBytes> m_piece{};
    std::span<const std::byte> m_toGive;
    std::array<std::byte, kPipeBytes> m_inputPiece{};
};

void Running::waitForSomething() {
    std::array<pollfd, 3> waits = {pollfd{m_channels.output.number(), POLLIN, 0},
                                   pollfd{m_channels.input.number(), POLLOUT, 0},
                                   pollfd{m_handle.number(), POLLIN, 0}};
    const int milliseconds = m_handle.isOpen() ? 50 : 5;
    (void)::poll(waits.data(), waits.size(), milliseconds);
}

// Gives the program input. @returns whether it has read something
bool Running::give() {
    if (!m_channels.input.isOpen()) return false;
    if (m_toGive.empty()) {
        const std::size_t bytes = m_call.input(m_inputPiece);
        m_toGive = std::span<const std::byte>(m_inputPiece).first(bytes);
        if (bytes == 0) {
            m_channels.input.close();
            return true;
        }
    }
    const ssize_t given =
        ::send(m_channels.input.number(), m_toGive.data(), m_toGive.size(), MSG_NOSIGNAL);
    if (given > 0) {
        m_toGive = m_toGive.subspan(given);
        return true;
    }
    if (given < 0 && errno != EAGAIN && errno != EINTR) m_channels.input.close();
    return false;
}

// Takes the program's output. @returns whether it has printed something
bool Running::take() {
    if (!m_channels.output.isOpen()) return false;
    const ssize_t got = ::read(m_channels.output.number(), m_piece.data(), m_piece.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) m_channels.output.close();
    if (got <= 0) return false;
    const auto bytes = std::span<const std::byte>(m_piece).first(got);
    if (m_call.output) {
        m_call.output(bytes);
        return true;
    }
    const auto room = static_cast<std::size_t>(m_call.maxOutputBytes) - m_end.output.size();
    m_end.output.append(reinterpret_cast<const char*>(bytes.data()), std::min(room, bytes.size()));
    m_end.isCutShort = bytes.size() > room;
    return true;
}

// Asks all of the group to end, and kills processes that do not.
void Running::endGroup() {
    ::kill(whole(), SIGTERM);
    const std::int64_t begin = nowNs();
    while (!hasEnded() && secondsSince(begin) < m_call.graceSeconds)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(whole(), SIGKILL);
}

// @returns the status from waitpid(); the rest of the group is killed
int Running::finish() {
    if (m_isTaken) return 0;
    m_isTaken = true;
    if (!hasEnded()) endGroup();
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(m_child), &info, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
    ::kill(whole(), SIGKILL);  // while the number cannot be reused
    int status = 0;
    while (::waitpid(m_child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

ProcessEnd Running::end() {
    std::int64_t lastNs = nowNs();
    while (true) {
        const bool ended = hasEnded();
        const bool hasPrinted = take();
        const bool hasRead = give();
        const bool moved = hasPrinted || hasRead;
        if (moved) lastNs = nowNs();
        if (m_end.isCutShort) break;
        if (!ended && m_stop.stop_requested()) {  // also of a program that never stops printing
            finish();
            throw Cancelled();
        }
        if (moved) continue;
        if (ended) break;
        m_end.wasQuiet = m_call.quietSeconds > 0 && secondsSince(lastNs) > m_call.quietSeconds;
        if (m_end.wasQuiet) break;
        waitForSomething();
    }
    const int status = finish();
    m_end.complaints = complaintsIn(m_channels.complaints.number());
    m_end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    m_end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return std::move(m_end);
}

}  // namespace

ProcessEnd runProcess(const ProcessCall& call, const std::stop_token& stop) {
    // It is on the heap because its buffers are large for a thread's stack.
    return std::make_unique<Running>(call, stop)->end();
}

}  // namespace gantry
