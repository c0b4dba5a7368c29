#pragma once

#include <QWidget>
#include <string_view>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace gantry {

class HostPlan;
struct HostWishes;

/// What is asked of the host that the next job goes to: nodes, time, how the scan comes there, what
/// comes back, and the script. Not to be seen where this machine does the job.
/// Tests: tests/ui/panels/reconstruction_host_test.cpp, tests/ui/desktop/remote_window_test.cpp
class ReconstructionHost : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionHost(HostPlan& plan, QWidget* parent = nullptr);

  signals:
    void hostsWanted();  ///< the list of hosts is to be shown

  private:
    void makeResources();
    void makeData();
    void makeBring();
    void makeButtons();
    // path: of the row of wishes
    [[nodiscard]] QComboBox* makeBox(const char* name, std::string_view path,
                                     void (*take)(HostWishes&, int));
    void fill();
    void show();
    void browse();

    HostPlan& m_plan;
    QString m_filledFor;
    QFormLayout* m_form = nullptr;
    QComboBox* m_nodes = nullptr;
    QComboBox* m_limit = nullptr;
    QComboBox* m_data = nullptr;
    QWidget* m_placeRow = nullptr;
    QLineEdit* m_place = nullptr;
    QComboBox* m_bring = nullptr;
    QWidget* m_buttons = nullptr;
    QPushButton* m_script = nullptr;
    QLabel* m_note = nullptr;
};

}  // namespace gantry
