#pragma once

#include <QWidget>

#include "ui/panels/reconstruction_gesture.h"

class QCheckBox;
class QComboBox;

namespace gantry {

class NumberField;
class ScanDocument;
struct Backends;
struct JobSpec;

/// Where and how the volume is computed: engine, precision, threads, memory.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionEngine : public QWidget {
    Q_OBJECT

  public:
    ReconstructionEngine(ScanDocument& scan, const Backends& backends, QWidget* parent = nullptr);

  private:
    void makeEngine(const Backends& backends);
    void makePrecision();
    void makeThreads();
    void makeMemory();
    void show();
    template <class Change>
    void edit(const Change& change, const QString& text, const QString& mergeKey = {});

    ScanDocument& m_scan;
    ReconstructionGesture m_gesture;
    QComboBox* m_engine = nullptr;
    QComboBox* m_precision = nullptr;
    QComboBox* m_threads = nullptr;
    QCheckBox* m_limit = nullptr;
    NumberField* m_memory = nullptr;
};

}  // namespace gantry
