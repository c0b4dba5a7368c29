#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/types.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

/// The lock of a folder on a host, so that one program at a time writes to it: a folder beside it,
/// "FOLDER.lock", with its owner and the time in the file `owner`. Its time of change is renewed
/// every second while it is held; after 60 s without that it counts as left over. It is free a
/// second after this object's end, or the end of this program. Tests:
/// tests/core/remote/host_lock_test.cpp
class HostLock {
  public:
    /// Asks for the lock, and makes the folder.
    /// own: a text without blanks that no other program uses; a lock of the same text is taken over
    /// @throws ResourceError if the folder cannot be used; HostUnreachable, Cancelled
    HostLock(const HostShell& shell, std::string folder, std::string own,
             const std::stop_token& stop);

    [[nodiscard]] bool isHeld() const { return m_state == State::held; }
    /// Room on the folder's disk, and the bytes of the files in the folder, when it was taken.
    [[nodiscard]] Index freeBytes() const { return m_freeBytes; }
    [[nodiscard]] Index presentBytes() const { return m_presentBytes; }

  private:
    enum class State { asked, held, refused, failed };

    void hold(const HostShell& shell, const std::stop_token& stop);
    void take(std::span<const std::byte> bytes);
    void settle(State state);

    std::string m_folder;
    std::string m_own;
    std::mutex m_mutex;
    std::condition_variable_any m_told;
    State m_state = State::asked;  // does not change once the constructor has returned
    std::string m_said;
    std::exception_ptr m_problem;
    Index m_freeBytes = 0;
    Index m_presentBytes = 0;
    std::jthread m_thread;  // ends first
};

}  // namespace gantry
