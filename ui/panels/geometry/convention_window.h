#pragma once

#include <memory>
#include <vector>

#include "ui/panels/geometry/scan_search_window.h"
#include "ui/workspace/search/convention_search.h"

class QButtonGroup;
class QLabel;
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
    ~ConventionWindow() override;

  protected:
    void startSearch(std::shared_ptr<const OpenScan> open) override;
    void stopSearch() override;
    void clearResult() override;
    void showResult() override;
    [[nodiscard]] bool isAnyChosen() const override;
    void takeChosen() override;
    [[nodiscard]] bool canSearchUnusable() const override { return true; }

  private:
    void takeResult(std::shared_ptr<const Diagnosis> found);
    void showRows();
    [[nodiscard]] const Interpretation* chosen() const;

    ConventionSearch m_search;
    std::shared_ptr<const Diagnosis> m_found;
    QScrollArea* m_scroll = nullptr;
    QButtonGroup* m_choices = nullptr;  // of the rows that are shown
    std::vector<ConventionRow*> m_rows;
};

}  // namespace gantry
