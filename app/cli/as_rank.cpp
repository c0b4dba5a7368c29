#include "app/cli/as_rank.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>
#include <system_error>

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/cluster/mpi/mpi_communicator.h"

namespace gantry {

namespace {

// The first rank reports what has happened; the others end with the same code.
int codeOf(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Cancelled&) {
        return kCancelledExitCode;
    } catch (const InputError&) {
        return 2;
    } catch (...) {
        return 1;
    }
}

// How long the ranks of a job may take to find each other.
double startSeconds() {
    constexpr double kUsual = 120;
    constexpr double kMax = 86'400;
    const char* set = std::getenv("GANTRY_START_SECONDS");
    if (!set) return kUsual;
    const std::string_view text = set;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) ||
        seconds > kMax)
        throwError<InputError>(
            "GANTRY_START_SECONDS is '{}'; a number above 0 is allowed, {:g} at most.", text, kMax);
    return seconds;
}

[[noreturn]] void endUnstarted(double seconds) {
    complain(ResourceError(
        fmt::format("MPI did not start on {} within {:g} s: it waits for a rank that has not been "
                    "started or cannot be reached.",
                    machineName(), seconds),
        {.advice = "Look at the launcher's own messages. A site where starting takes longer sets "
                   "GANTRY_START_SECONDS."}));
    std::_Exit(1);
}

void printReason(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& error) {
        complain(error);
    }
}

}  // namespace

int runAsRank(Session& session, const std::function<int(JobRanks& ranks)>& work) {
    constexpr double kPartingSeconds = 3;
    constexpr double kReportSeconds = 60;  // time for the first rank to write reports
    const double seconds = startSeconds();
    const std::unique_ptr<Communicator> mpi = startMpi({seconds, [&] { endUnstarted(seconds); }});
    std::exception_ptr failure;
    int code = 0;
    try {
        JobRanks ranks(*mpi, session.stop());
        code = work(ranks);
    } catch (...) {
        failure = std::current_exception();
        code = codeOf(failure);
    }
    // Reported before the others leave, because a launcher ends all when one has ended with an
    // error.
    if (failure && mpi->isFirst()) printReason(failure);
    const bool haveAllLeft = mpi->leave(failure ? kPartingSeconds : kReportSeconds);
    if (!haveAllLeft) mpi->abort(code);
    return code;
}

}  // namespace gantry
