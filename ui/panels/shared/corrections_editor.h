#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/prep/corrections.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QVBoxLayout;

namespace gantry {

class NumberField;
class ScanDocument;

/// What the next reconstruction does to the views before it filters them: rings, zingers, phase.
/// Fields of what is not done are hidden; what the scan's trajectory has no means for is grey and
/// says why.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class CorrectionsEditor : public QWidget {
    Q_OBJECT

  public:
    explicit CorrectionsEditor(ScanDocument& scan, QWidget* parent = nullptr);

  private:
    struct Number {
        NumberField* field = nullptr;
        std::function<double(const Corrections&)> get;
    };
    // Fields with a form of their own, since no row of one with a field's problem may be hidden:
    // see showRow(). They are shown where they count.
    struct Group {
        QWidget* fields = nullptr;
        std::function<bool(const Corrections&)> counts;
    };
    // What a number says and does.
    struct NumberStyle {
        const char* name;
        QString label;
        QString help;
        QString unit;
        double step;
        double least;
        double most;
        bool isWhole = false;
    };

    void makeRings();
    void makeZingers();
    void makePhase();
    QFormLayout& addGroup(const std::function<bool(const Corrections&)>& counts);
    void addNumber(QFormLayout& form, const NumberStyle& style, const QString& text,
                   const std::function<double(const Corrections&)>& get,
                   const std::function<void(Corrections&, double)>& set);
    void edit(const std::function<void(Corrections&)>& change, const QString& text,
              const QString& mergeKey = {});
    void show();

    ScanDocument& m_scan;
    QVBoxLayout* m_column = nullptr;
    QComboBox* m_rings = nullptr;
    QCheckBox* m_zingers = nullptr;
    QCheckBox* m_phase = nullptr;
    std::vector<Number> m_numbers;
    std::vector<Group> m_groups;
    Corrections m_last;  ///< what comes back when a correction is switched on again
};

}  // namespace gantry
