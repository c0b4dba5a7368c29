#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "core/align/finding.h"
#include "ui/panels/geometry/scan_search_window.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;

namespace gantry {

class ProfilePlot;

enum class AlignmentUnit { pixels, degrees };

/// "+3.40 px ± 0.02 px": digits as far as the uncertainty allows.
/// Tests: tests/ui/panels/alignment_window_test.cpp
[[nodiscard]] QString findingText(const Finding& finding, AlignmentUnit unit);

/// One number that is sought: a box to choose it, its value, and below how it was found or why not.
/// It takes the same room whether it is known or not.
/// Tests: tests/ui/panels/alignment_window_test.cpp
class AlignmentRow : public QWidget {
    Q_OBJECT

  public:
    AlignmentRow(const QString& name, AlignmentUnit unit, QWidget* parent = nullptr);

    /// It is chosen but for a roll or tilt that is within its uncertainty.
    /// more: a sentence before the reason; empty: none
    void showFinding(const Finding& finding, const QString& more = {});
    /// Nothing is known yet.
    void clear();
    [[nodiscard]] bool isChosen() const;
    /// What was found, if it is chosen; else 0.
    [[nodiscard]] double chosenValue() const { return isChosen() ? m_value : 0; }
    /// "Roll" and "Roll +0.588°".
    [[nodiscard]] QString name() const;
    [[nodiscard]] QString change() const;

  signals:
    void chosenChanged();

  private:
    void show(const QString& value, const QString& reason, bool isFound, bool isChosen);

    AlignmentUnit m_unit;
    double m_value = 0;
    QString m_change;
    QCheckBox* m_check = nullptr;
    QLabel* m_valueText = nullptr;
    QLabel* m_reason = nullptr;
};

/// Searches for the centre of rotation, roll and tilt of the open scan, shows what was found, and
/// takes what the user chooses into the geometry.
/// Tests: tests/ui/panels/alignment_window_test.cpp
class AlignmentWindow : public ScanSearchWindow {
    Q_OBJECT

  public:
    /// scan: has its images open; outlives this window
    explicit AlignmentWindow(ScanDocument& scan, QWidget* parent = nullptr);

  protected:
    void changeEvent(QEvent* event) override;

    void startSearch(std::shared_ptr<const OpenScan> open) override;
    void clearResult() override;
    void showResult() override;
    [[nodiscard]] bool isAnyChosen() const override;
    void takeChosen() override;

  private:
    void build();
    void addFinders(QBoxLayout& column);
    void takeResult(const Alignment& found);
    void showCurve();

    std::optional<Alignment> m_found;
    QComboBox* m_finder = nullptr;
    AlignmentRow* m_centre = nullptr;
    AlignmentRow* m_roll = nullptr;
    AlignmentRow* m_tilt = nullptr;
    ProfilePlot* m_curve = nullptr;
};

}  // namespace gantry
