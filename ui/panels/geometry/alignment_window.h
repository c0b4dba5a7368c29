#pragma once

#include <memory>
#include <optional>

#include "ui/panels/geometry/scan_search_window.h"
#include "ui/workspace/search/alignment_search.h"

class QBoxLayout;
class QComboBox;

namespace gantry {

class AlignmentRow;
class ProfilePlot;

/// Searches for the centre of rotation, roll and tilt of the open scan, shows what was found, and
/// takes what the user chooses into the geometry.
/// Tests: tests/ui/panels/alignment_window_test.cpp
class AlignmentWindow : public ScanSearchWindow {
    Q_OBJECT

  public:
    /// scan: has its images open; outlives this window
    explicit AlignmentWindow(ScanDocument& scan, QWidget* parent = nullptr);
    ~AlignmentWindow() override;

  protected:
    void changeEvent(QEvent* event) override;

    void startSearch(std::shared_ptr<const OpenScan> open) override;
    void stopSearch() override;
    void clearResult() override;
    void showResult() override;
    [[nodiscard]] bool isAnyChosen() const override;
    void takeChosen() override;

  private:
    void build();
    void addFinders(QBoxLayout& column);
    void takeResult(const Alignment& found);
    void showCurve();

    AlignmentSearch m_search;
    std::optional<Alignment> m_found;
    QComboBox* m_finder = nullptr;
    AlignmentRow* m_centre = nullptr;
    AlignmentRow* m_roll = nullptr;
    AlignmentRow* m_tilt = nullptr;
    ProfilePlot* m_curve = nullptr;
};

}  // namespace gantry
