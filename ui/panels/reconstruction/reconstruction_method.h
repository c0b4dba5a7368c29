#pragma once

#include <QWidget>

class QComboBox;
class QVBoxLayout;

namespace gantry {

class OptionControls;
class ScanDocument;

/// The method of the next reconstruction: a suggestion for a kind of scan, the method itself, and
/// the options that it has. Tests: tests/ui/panels/reconstruction_method_test.cpp
class ReconstructionMethod : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionMethod(ScanDocument& scan, QWidget* parent = nullptr);

  private:
    void alignFields();
    void takeSuggestion(int index);
    void show();

    ScanDocument& m_scan;
    OptionControls* m_controls = nullptr;
    QVBoxLayout* m_column = nullptr;
    QComboBox* m_suggestion = nullptr;
};

}  // namespace gantry
