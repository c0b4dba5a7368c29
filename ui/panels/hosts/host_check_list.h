#pragma once

#include <QWidget>
#include <optional>

#include "core/remote/scheduler/host_check.h"
#include "ui/workspace/background/task_queue.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace gantry {

/// Checks a host and shows what is found, as it is found: a line each, yes or no and what to do.
/// The host is asked in a thread of its own and the check can be cancelled. Tests:
/// tests/ui/panels/hosts_window_test.cpp, tests/ui/desktop/remote_window_test.cpp
class HostCheckList : public QWidget {
    Q_OBJECT

  public:
    explicit HostCheckList(QWidget* parent = nullptr);
    ~HostCheckList() override;

    /// The host that is checked next; what was found of another one goes.
    void setHost(const std::optional<Host>& host);

  signals:
    void answered();  ///< there is something to be read

  private:
    void check();
    void cancel();
    void add(const HostFinding& finding);
    void end(const QString& sentence, bool isGood);
    void clear();

    std::optional<Host> m_host;
    int m_number = 0;      // of the check that counts
    bool m_isGood = true;  // as far as it has come
    QPushButton* m_button = nullptr;
    QProgressBar* m_busy = nullptr;
    QLabel* m_state = nullptr;
    QVBoxLayout* m_lines = nullptr;
    TaskQueue m_asking;  // the last: its thread uses the others
};

}  // namespace gantry
