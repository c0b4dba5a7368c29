#pragma once

#include <QWidget>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;

namespace gantry {

class HostPlan;
class NumberField;
class OptionControls;
class ScanDocument;
class Workspace;
struct Machine;

/// Where and how the volume is computed: this computer or a host, engine, precision, GPU kernel,
/// threads, memory. Fields that need a GPU which this machine lacks are grey and say why. Tests:
/// tests/ui/panels/reconstruction_engine_test.cpp
class ReconstructionEngine : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionEngine(Workspace& workspace, QWidget* parent = nullptr);

  signals:
    void hostsWanted();  ///< the list of hosts is to be shown

  private:
    // A checkbox and the size that it limits.
    struct Limit {
        QCheckBox* box = nullptr;
        NumberField* size = nullptr;
        const FileField<JobSpec>* row = nullptr;
    };

    void makeRunOn();
    void makeEngine();
    void makePrecision();
    void makeKernel();
    [[nodiscard]] QComboBox* makeCount(std::string_view path);
    void makeCounts();
    [[nodiscard]] Limit makeLimit(const FileField<JobSpec>& row, const QString& name);
    [[nodiscard]] QWidget* makeForm();
    void choosePlace();
    void fillHosts();
    void show();
    void showHere(const JobSpec& job);
    void showGpus();
    void showLimit(const Limit& limit, Index freeBytes, const QString& whyNot);
    [[nodiscard]] bool hasGpu() const;
    [[nodiscard]] bool isFast(const std::string& kernel) const;
    [[nodiscard]] Index freeDeviceBytes() const;

    ScanDocument& m_scan;
    HostPlan& m_hosts;
    const Machine& m_machine;
    OptionControls* m_controls;
    QFormLayout* m_form = nullptr;
    QComboBox* m_runOn = nullptr;
    QComboBox* m_engine = nullptr;
    QLabel* m_devices = nullptr;
    QComboBox* m_precision = nullptr;
    QComboBox* m_kernel = nullptr;
    QWidget* m_filterOn = nullptr;
    QComboBox* m_threads = nullptr;
    QComboBox* m_ranks = nullptr;
    Limit m_memory;
    Limit m_deviceMemory;
};

}  // namespace gantry
