#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <functional>

class QProcess;

namespace gantry {

/// A process that works for the window, one at a time: a new one replaces the current one, which is
/// killed. GUI thread only; nothing blocks except destruction, which waits for killed processes.
/// Tests: tests/ui/workspace/measurement_test.cpp, tests/ui/workspace/live_preview_test.cpp
class ChildProcess : public QObject {
    Q_OBJECT

  public:
    using Ended = std::function<void(QProcess& process)>;

    using QObject::QObject;
    ~ChildProcess() override;

    /// ended: called later, when the process has ended by itself or could not be started, but not
    /// when it was stopped; the callee may destroy this object.
    QProcess& start(const QString& program, const QStringList& arguments, Ended ended);
    void stop();
    /// Null if no process is running.
    [[nodiscard]] QProcess* current() const { return m_process; }
    /// Ignored if the process could not be started.
    void write(const std::string& text);

  private:
    QProcess* m_process = nullptr;  // a child object of this one
};

/// A line of this program's error output as a sentence: "gantry: no disk" is "No disk".
[[nodiscard]] QString spoken(QString line);

/// Why a process of this program has ended: the last sentence in its error output, or that it could
/// not be started; `otherwise` if there is none.
[[nodiscard]] QString lastWordsOf(QProcess& process, const QString& otherwise);

}  // namespace gantry
