#pragma once

#include <QWidget>

class QSlider;

namespace gantry {

class OptionControls;
class ScanDocument;

/// The filter of the next reconstruction, which the panel's pictures show at once: its window and
/// cut-off, which may be set as the scanner's program had them.
/// Tests: tests/ui/panels/projections_panel_test.cpp, tests/ui/panels/open_questions_test.cpp
class FilterEditor : public QWidget {
    Q_OBJECT

  public:
    explicit FilterEditor(ScanDocument& scan, QWidget* parent = nullptr);

  protected:
    bool event(QEvent* event) override;

  private:
    void showSlider();

    ScanDocument& m_scan;
    OptionControls* m_controls = nullptr;
    QWidget* m_first = nullptr;
    QWidget* m_title = nullptr;
    QSlider* m_slider = nullptr;
};

}  // namespace gantry
