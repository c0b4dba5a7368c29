#pragma once

#include <QDialog>
#include <memory>
#include <utility>

#include "core/io/scan_file/scan_file.h"
#include "core/scan/open_scan.h"
#include "ui/panels/shared/search_progress.h"
#include "ui/workspace/scan/request.h"
#include "ui/workspace/search/scan_search.h"

class QDialogButtonBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace gantry {

class ScanDocument;

/// Whether what was searched for in the views of one scan is what would be found in the other's.
/// Tests: tests/ui/panels/alignment_window_test.cpp, tests/ui/panels/calibration_window_test.cpp
[[nodiscard]] inline bool isSameSearch(const ScanFile& a, const ScanFile& b) {
    return a.geometry == b.geometry && isSameImages(a, b) && isSameField(kSkipViews, a, b);
}

/// A window that searches the open scan for something, shows how far it is, then what was found,
/// and takes what the user chooses into the scan. It begins as soon as it is made, or asks the user
/// something first. A result holds for the geometry and the images that it was found with. Deletes
/// itself when closed, also with its scan.
/// Tests: tests/ui/panels/alignment_window_test.cpp, convention_window_test.cpp,
/// calibration_window_test.cpp
class ScanSearchWindow : public QDialog {
    Q_OBJECT

  public:
    ~ScanSearchWindow() override;

  protected:
    /// names: of the window's parts, "alignment" for alignmentState, useAlignment …
    struct Names {
        const char* state;
        const char* progress;
        const char* use;
        const char* close;
    };
    /// scan: outlives this window
    ScanSearchWindow(ScanDocument& scan, const Names& names, QWidget* parent);

    /// The row with progress or state, and that with the buttons; what is between is the window's.
    void addSearchRow(QVBoxLayout& column, int lines = 2);
    QDialogButtonBox& addButtons(QVBoxLayout& column, const QString& use, const QString& useHelp);
    /// Adds the button that begins a search, in place of "Search again": for windows that ask
    /// first.
    void addSearchButton(QVBoxLayout& column, const QString& text, const char* name);
    /// Once everything is built, and at every "Search again".
    void search();
    /// Once everything is built, in place of search(), where the user is asked something first.
    void waitForAnswer();

    /// For startSearch(). search: (const SearchControl&) -> T in the background. done: (T), in the
    /// GUI thread; ends by endWithResult()
    template <class Search, class Done>
    void run(Search search, Done done) {
        m_search.start(std::move(search), std::move(done),
                       [this](const QString& sentence) { endWithProblem(sentence); });
    }
    void endWithResult();
    void showState();

    [[nodiscard]] ScanDocument& scan() { return m_scan; }
    /// The scan as it is being or was searched.
    [[nodiscard]] const ScanFile& searched() const { return m_searched; }
    /// There is a result, and it is that of the scan as it is now.
    [[nodiscard]] bool resultHolds() const { return m_stage == Stage::found && isUpToDate(); }
    [[nodiscard]] QLabel& state() { return *m_state; }

    /// Null where the images cannot be opened with the geometry as it is: canSearchUnusable().
    virtual void startSearch(std::shared_ptr<const OpenScan> open) = 0;
    virtual void clearResult() = 0;
    /// Says in state() what was found.
    virtual void showResult() = 0;
    [[nodiscard]] virtual bool isAnyChosen() const = 0;
    /// Takes what is chosen into the scan; only where the result holds.
    virtual void takeChosen() = 0;
    /// Scans whose geometry has errors are searched too.
    [[nodiscard]] virtual bool canSearchUnusable() const { return false; }
    /// What the user is asked is answered.
    [[nodiscard]] virtual bool isAnswered() const { return true; }
    /// Says in state() what the user is asked.
    virtual void showQuestion() {}

  private:
    enum class Stage {
        asking,   ///< for what the search has to know
        waiting,  ///< for the images to be open with the newest geometry
        searching,
        found,
        failed,
        cancelled,
        outdated,  ///< cancelled by an edit
    };

    void searchWhenOpen();
    void endWithProblem(const QString& sentence);
    void showProgress(const QString& what, double fraction);
    void begin(std::shared_ptr<const OpenScan> open);
    void searchAsked();
    void cancel();
    void followScan();
    void use();
    [[nodiscard]] bool isUpToDate() const;
    [[nodiscard]] bool isAtWork() const;
    void showStage();

    ScanDocument& m_scan;
    ScanSearch m_search;
    Names m_names;
    Stage m_stage = Stage::waiting;
    ScanFile m_searched;
    QString m_problem;  ///< why it failed
    QStackedWidget* m_pages = nullptr;
    SearchProgress* m_progress = nullptr;
    QLabel* m_state = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_again = nullptr;
};

}  // namespace gantry
