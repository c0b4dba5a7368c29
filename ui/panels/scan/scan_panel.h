#pragma once

#include <QWidget>
#include <memory>

#include "core/geometry/check/validate.h"
#include "ui/panels/scan/scan_notes.h"

namespace gantry {

class Workspace;

/// What is open: name, format, size, statistics, suspect frames, problems; and, of bare images,
/// the one form that asks for what is missing, its guesses marked as guesses.
/// Tests: tests/ui/panels/scan_panel_test.cpp
class ScanPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ScanPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~ScanPanel() override;

    /// The largest height of the panel up to `limit`, logical pixels, that cuts none of its lines.
    [[nodiscard]] int heightOfWholeLines(int limit) const;

  signals:
    /// A problem was clicked: the field of scan.json that it is about ("detector.pitchMm[0]").
    void fieldWanted(const QString& field);
    void liveWanted();  ///< live slices, beside the open questions

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Parts;
    [[nodiscard]] QWidget* makeContent();
    [[nodiscard]] QWidget* makeQuestions();
    void newScan();
    void refresh();
    void showPlace();
    void showBusy();
    void showSummary();
    [[nodiscard]] ScanNotes::Note noteOf(const Problem& problem) const;
    void showProblems();
    [[nodiscard]] QWidget* makeRemedies();
    void showRemedies();
    void showBadViews(std::vector<ScanNotes::Note>& notes);
    void showSuspects();

    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
