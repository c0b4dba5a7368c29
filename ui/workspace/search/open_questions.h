#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/describe/scan_description.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/search/scan_search.h"

namespace gantry {

class ScanDocument;
struct Settlement;

/// Tries the answers to a description's open questions. open: its images; null: they are opened
/// here. For a background thread.
[[nodiscard]] Settlement searchAnswers(const ScanDescription& description, const OpenScan* open,
                                       const SearchControl& control);

/// What a question is called in the window: "Axis offset".
[[nodiscard]] QString titleOf(const OpenQuestion& question);

/// The open questions of the scanner's file that the scan was opened by. As soon as the images can
/// be read their answers are looked for on the views, while the user goes on; what is found, and
/// what the user answers, becomes an edit of the scan that can be undone. GUI thread only.
/// Tests: tests/ui/panels/open_questions_test.cpp
class OpenQuestions : public QObject {
    Q_OBJECT

  public:
    /// scan: outlives this object
    explicit OpenQuestions(ScanDocument& scan, QObject* parent = nullptr);

    /// With what the scan is read as now. None: the scan has no such file.
    [[nodiscard]] std::vector<OpenQuestion> questions() const;
    [[nodiscard]] bool isSearching() const { return m_search.isBusy(); }
    /// Why the views were not asked; empty: they were, are, or will be.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    /// Looks for the answers that the user has not given, again.
    void search();
    void cancel();
    /// Takes an answer of the user.
    void answer(const std::string& name, const std::string& answer);

  signals:
    void changed();  ///< anything that the functions above return
    void progressed(const QString& what, double fraction);

  private:
    void begin();
    void followScan();
    void start(ScanDescription description, std::shared_ptr<const OpenScan> open);
    void finish(const Settlement& found);
    void fail(const QString& sentence);
    /// Reads the scan with other answers, in place of what it is read as now.
    void take(const ScanFile& before, const ScanFile& after, const QString& text,
              const QString& sentence);

    ScanDocument& m_scan;
    ScanSearch m_search;
    Background m_reading;
    std::shared_ptr<const ScanDescription> m_begun;
    ScanFile m_searched;  // as it was when the search began
    QString m_problem;
    bool m_isWaiting = false;  // for the images
};

}  // namespace gantry
