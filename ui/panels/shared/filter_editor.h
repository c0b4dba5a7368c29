#pragma once

#include <QWidget>

#include "core/filter/filter_spec.h"

class QComboBox;
class QSlider;

namespace gantry {

class NumberField;
class ScanDocument;

/// The filter of the next reconstruction, which the panel's pictures show at once: its window and
/// cut-off.
/// Tests: tests/ui/panels/projections_panel_test.cpp
class FilterEditor : public QWidget {
    Q_OBJECT

  public:
    explicit FilterEditor(ScanDocument& scan, QWidget* parent = nullptr);

  private:
    void connectParts();
    void showFilter();
    void edit(const FilterSpec& filter, const QString& text, const QString& mergeKey);

    ScanDocument& m_scan;
    QComboBox* m_window = nullptr;
    QSlider* m_slider = nullptr;
    NumberField* m_cutoff = nullptr;
};

}  // namespace gantry
