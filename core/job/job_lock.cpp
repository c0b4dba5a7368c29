#include "core/job/job_lock.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/base/wait.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLockFile = "lock";

// Writes "PID MACHINE", because other machines may share the folder, where the number means
// nothing.
void signLock(File& lock) {
    const std::string text = fmt::format("{} {}\n", ::getpid(), machineName());
    lock.resize(0);
    lock.writeAt(0, std::as_bytes(std::span(text)));
}

std::optional<int> readSignature(const fs::path& path) {
    constexpr Index kMaxSignature = 1000;
    const std::string text = readTextFile(path, kMaxSignature);
    int pid = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, pid);
    if (error != std::errc() || pid <= 0) return std::nullopt;
    if (std::string(rest, end) != fmt::format(" {}\n", machineName())) return std::nullopt;
    return pid;
}

// The run of a job that this one waits for.
class OtherRun {
  public:
    explicit OtherRun(fs::path folder) : m_folder(std::move(folder)) {}

    bool isOver() {
        constexpr std::int64_t kFreeNs = 2'000'000'000;
        m_isOver = m_isOver || !pathExists(m_folder) || isOfAnother(jobHolder(m_folder)) ||
                   nowNs() - m_freeSinceNs >= kFreeNs;
        return m_isOver;
    }

  private:
    // A process that resumes the job may be waiting for this one, and both would wait for ever. A
    // run has one session, even if its first rank takes the lock from the process that started it.
    bool isOfAnother(const JobHolder& holder) {
        if (holder.isHeld != true) return false;
        m_freeSinceNs = nowNs();
        const pid_t session = holder.pid ? ::getsid(*holder.pid) : -1;
        if (session < 0) return false;
        if (!m_session) m_session = session;
        return *m_session != session;
    }

    fs::path m_folder;
    std::int64_t m_freeSinceNs = nowNs();
    std::optional<pid_t> m_session;
    bool m_isOver = false;
};

}  // namespace

File takeJobLock(const fs::path& folder) {
    constexpr int kTries = 26;
    constexpr auto kPause = std::chrono::milliseconds(20);
    for (int i = 0; i < kTries; ++i) {
        if (i > 0) std::this_thread::sleep_for(kPause);
        // It is not emptied before we hold it, because it names the holder.
        File lock(folder / kLockFile, File::Mode::keep);
        if (!lock.tryLock()) continue;
        signLock(lock);
        return lock;
    }
    throwError<InputError>(
        "Another process is working on the job {}. Wait for it to finish, or cancel it.",
        folder.string());
}

JobHolder jobHolder(const fs::path& folder) {
    const fs::path path = folder / kLockFile;
    if (!pathExists(path)) return {};
    try {
        JobHolder holder;
        holder.isHeld = File(path, File::Mode::read).isLocked();
        if (holder.isHeld == true) holder.pid = readSignature(path);
        return holder;
    } catch (const InputError&) {
        // It was removed in the meantime, or is not readable.
        return {pathExists(path) ? std::nullopt : std::optional(false), std::nullopt};
    }
}

void waitForJobs(std::span<const fs::path> folders, const std::stop_token& stop) {
    constexpr auto kPause = std::chrono::milliseconds(100);
    std::vector<OtherRun> others(folders.begin(), folders.end());
    while (true) {
        bool allOver = true;
        for (OtherRun& other : others)
            allOver = other.isOver() && allOver;
        if (allOver) return;
        waitFor(kPause, stop);
    }
}

}  // namespace gantry
