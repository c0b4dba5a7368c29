#pragma once

#include <memory>
#include <vector>

#include "ui/panels/geometry/scan_search_window.h"

class QButtonGroup;
class QScrollArea;

namespace gantry {

class ConventionRow;

/// Tries other conventions on the open scan, shows slices of each side by side with how well they
/// fit, and takes the one that the user chooses into the scan's description.
/// Tests: tests/ui/panels/convention_window_test.cpp
class ConventionWindow : public ScanSearchWindow {
    Q_OBJECT

  public:
    /// scan: may have errors in its geometry; outlives this window
    explicit ConventionWindow(ScanDocument& scan, QWidget* parent = nullptr);

  protected:
    void startSearch(std::shared_ptr<const OpenScan> open) override;
    void clearResult() override;
    void showResult() override;
    [[nodiscard]] bool isAnyChosen() const override;
    void takeChosen() override;
    [[nodiscard]] bool canSearchUnusable() const override { return true; }

  private:
    void showRows();
    [[nodiscard]] const Interpretation* chosen() const;

    std::shared_ptr<const Diagnosis> m_found;
    QScrollArea* m_scroll = nullptr;
    QButtonGroup* m_choices = nullptr;  // of the rows that are shown
    std::vector<ConventionRow*> m_rows;
};

}  // namespace gantry
