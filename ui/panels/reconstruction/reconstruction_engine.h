#pragma once

#include <QWidget>

#include "core/plan/job_spec.h"
#include "ui/panels/shared/edit_gesture.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;

namespace gantry {

class HostPlan;
class NumberField;
class ScanDocument;
class Workspace;
struct Machine;

/// Where and how the volume is computed: engine or host, precision, GPU kernel, threads, memory.
/// Fields that need a GPU which this machine lacks are grey and say why.
/// Tests: tests/ui/panels/reconstruction_engine_test.cpp
class ReconstructionEngine : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionEngine(Workspace& workspace, QWidget* parent = nullptr);

  private:
    // A checkbox and the size that it limits.
    struct Limit {
        QCheckBox* box = nullptr;
        NumberField* size = nullptr;
        Index JobSpec::*bytes = nullptr;
    };

    void makeEngine();
    void makePrecision();
    void makeKernel();
    void makeFilterPlace();
    void makeFilterRows();
    void makeThreads();
    void makeRanks();
    void makeMemory();
    void makeDeviceMemory();
    // text: of the undo step
    [[nodiscard]] Limit makeLimit(const QString& label, const QString& text, const QString& name,
                                  const QString& help, Index JobSpec::*bytes);
    [[nodiscard]] QWidget* makeForm();
    void chooseEntry();
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
    EditGesture m_gesture;
    QFormLayout* m_form = nullptr;
    QComboBox* m_engine = nullptr;
    QLabel* m_devices = nullptr;
    QComboBox* m_precision = nullptr;
    QComboBox* m_kernel = nullptr;
    QComboBox* m_filterOn = nullptr;
    QComboBox* m_filterRows = nullptr;  ///< shown where the detector is not upright
    QComboBox* m_threads = nullptr;
    QComboBox* m_ranks = nullptr;
    Limit m_memory;
    Limit m_deviceMemory;
};

}  // namespace gantry
