#include "app/cli/as_rank.h"

#include <exception>
#include <memory>

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "core/base/error.h"
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
    const std::unique_ptr<Communicator> mpi = startMpi();
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
