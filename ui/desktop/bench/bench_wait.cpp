#include "ui/desktop/bench/bench_wait.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <string>

#include "core/base/error.h"

namespace gantry {

void waitUntil(const std::function<bool()>& condition, const std::string& what) {
    constexpr int kLimitMs = 60'000;
    QElapsedTimer passed;
    passed.start();
    while (!condition()) {
        if (passed.elapsed() > kLimitMs) throw InputError(what + " did not come within a minute");
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 5);
    }
}

}  // namespace gantry
