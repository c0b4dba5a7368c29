#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <string>

#include "core/work/measure_request.h"
#include "ui/workspace/child_process.h"

namespace gantry {

/// Measures this machine in a process of its own (`gantry measure`), so that no driver, however
/// slow or broken, is in the window's. One request at a time: a new one takes the place of the one
/// under way, whose process is killed and whose answer is dropped. GUI thread only; nothing blocks.
/// Tests: tests/ui/workspace/measurement_test.cpp
class Measurement : public QObject {
    Q_OBJECT

  public:
    using Done = std::function<void(const Measured& measured)>;
    using Failed = std::function<void(const QString& sentence)>;

    explicit Measurement(QString program, QObject* parent = nullptr);

    /// request: see measureRequest(); an empty one asks for the GPUs alone. One of the two is
    /// called later, unless the request is cancelled.
    void start(const std::string& request, Done done, Failed failed);
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_child.current() != nullptr; }

  private:
    void finish(QProcess& process, const Done& done, const Failed& failed);
    [[nodiscard]] QString whyFailed(QProcess& process) const;

    QString m_program;
    ChildProcess m_child;
};

}  // namespace gantry
