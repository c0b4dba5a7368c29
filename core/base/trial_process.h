#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace gantry {

/// How work that was tried in another process ended.
enum class TrialEnd {
    returned,     ///< or threw anything but the errors listed below
    crashed,      ///< a memory fault, or more memory than allowed
    tookTooLong,  ///< it was killed
    notTried,     ///< others have taken all of the TrialBudget
};

/// Limits of a trial beyond what this process uses.
struct TrialLimits {
    int seconds = 60;
    std::size_t memoryBytes = std::size_t{4} << 30;
    int cpuSeconds = 0;  ///< 0: none
};

/// Does `work` in a copy of this process and returns only how that ended: this shows safely whether
/// a library survives a file of unknown origin. The copy has only this thread, so `work` must not
/// wait for locks that other threads may hold.
/// @throws InputError  if `work` threw one: its code and message, up to 4000 bytes of it
/// @throws ResourceError  the system allows no further process; Cancelled, see TrialStop
/// Tests: tests/core/base/trial_process_test.cpp
[[nodiscard]] TrialEnd tryInAnotherProcess(const std::function<void()>& work,
                                           const TrialLimits& limits = {});

/// How a trial ended, and all that it sent until then.
struct TrialAnswer {
    TrialEnd end = TrialEnd::returned;
    std::string sent;
};
/// Sends bytes from the copy to this process; several calls send one after the other.
using TrialSend = std::function<void(std::string_view bytes)>;

/// The same for work that sends what it finds. What it throws is lost.
/// @throws ResourceError  the system allows no further process; Cancelled, see TrialStop
[[nodiscard]] TrialAnswer askAnotherProcess(const std::function<void(const TrialSend&)>& work,
                                            const TrialLimits& limits);

/// While it exists, trials of this thread end when the token's stop is requested, within a tenth of
/// a second. Readers of files have no token of their own.
class TrialStop {
  public:
    explicit TrialStop(std::stop_token token);
    TrialStop(const TrialStop&) = delete;
    TrialStop& operator=(const TrialStop&) = delete;
    ~TrialStop();

  private:
    std::stop_token m_before;
};

/// While it exists, as while a folder is opened, all trials of this thread together may take so
/// many seconds that lead to nothing: those of trials that take too long, or more than a second of
/// processor time. An outer one holds for all inside.
class TrialBudget {
  public:
    static constexpr int kWastedSeconds = 10;

    explicit TrialBudget(int seconds = kWastedSeconds);
    TrialBudget(const TrialBudget&) = delete;
    TrialBudget& operator=(const TrialBudget&) = delete;
    ~TrialBudget();
};

}  // namespace gantry
