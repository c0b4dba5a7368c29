#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <string>

#include "core/work/measure_request.h"
#include "ui/workspace/background/child_process.h"

namespace gantry {

/// Measures this machine in a separate process (`gantry measure`), so that no driver, however slow
/// or broken, runs in the window's process. One request at a time: a new one replaces the current
/// one, whose process is killed and whose answer is dropped. GUI thread only; nothing blocks.
/// Tests: tests/ui/workspace/measurement_test.cpp
class Measurement : public QObject {
    Q_OBJECT

  public:
    using Done = std::function<void(const Measured& measured)>;
    using Failed = std::function<void(const QString& sentence)>;

    explicit Measurement(QString program, QObject* parent = nullptr);

    /// request: see measureRequest(); an empty one asks only for the GPUs. One of the two is called
    /// later, unless the request is cancelled.
    void start(const std::string& request, Done done, Failed failed);
    void cancel() { m_child.stop(); }
    [[nodiscard]] bool isBusy() const { return m_child.current() != nullptr; }

  private:
    void finish(QProcess& process, const Done& done, const Failed& failed);
    [[nodiscard]] QString whyFailed(QProcess& process) const;

    QString m_program;
    ChildProcess m_child;
};

}  // namespace gantry
