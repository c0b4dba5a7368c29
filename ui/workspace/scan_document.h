#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <vector>

#include "core/recon/guess_scan.h"
#include "core/recon/inspect_scan.h"
#include "core/recon/job_spec.h"
#include "core/recon/open_scan.h"
#include "ui/models/message.h"
#include "ui/workspace/background.h"

namespace gantry {

/// Everything that is asked for: the scan with its geometry, the volume, filter, output, engine.
/// All of it is edited through one undo stack.
struct Request {
    JobSpec job;
    bool volumeIsFitted = true;  ///< job.volume follows the geometry's field of view
};

/// The open scan with the user's edits. Opening, inspecting and checking run in the background.
/// GUI thread only.
/// Tests: tests/ui/workspace/scan_document_test.cpp
class ScanDocument : public QObject {
    Q_OBJECT

  public:
    enum class State {
        empty,
        opening,
        incomplete,  ///< bare images: fields are guessed, to be confirmed by acceptGuesses()
        open,
    };

    explicit ScanDocument(QObject* parent = nullptr);
    ~ScanDocument() override;

    /// A scan.json, a folder of images or with a scan.json, an image file, or an RTK geometry
    /// (which then replaces the geometry of the open scan). The scan open so far stays until the
    /// new one is known to be one.
    void open(const QString& path);
    /// Takes over the request of a job ("run again with changes").
    void openRequest(const JobSpec& spec);
    void close();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool hasScan() const;  ///< incomplete or open
    [[nodiscard]] QString title() const;

    [[nodiscard]] const Request& request() const { return m_request; }
    [[nodiscard]] const ScanGeometry& geometry() const { return m_request.job.scan.geometry; }
    /// As it was opened: what "reset to file" returns to.
    [[nodiscard]] const Request& requestInFile() const { return m_inFile; }
    /// Of the images; null until they have been looked at.
    [[nodiscard]] std::shared_ptr<const Inspection> inspection() const { return m_inspection; }
    /// Fields that are guesses, by their JSON names, with the reason.
    [[nodiscard]] const std::vector<GuessedScan::Guess>& guesses() const { return m_guesses; }
    /// Of the edited geometry, volume and arc, errors first; kept up with every edit at once.
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    [[nodiscard]] bool hasErrors() const;
    /// The scan's files opened with the edited geometry; null while it has errors or is being
    /// opened. May be used in the background by whoever holds it.
    [[nodiscard]] std::shared_ptr<const OpenScan> openScan() const { return m_openScan; }

    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }
    /// Makes `request` the edited one, undoably. text: "Change SDD", for the undo menu. Consecutive
    /// edits with the same non-empty mergeKey are one undo step (typing, dragging).
    void edit(Request request, const QString& text, const QString& mergeKey = {});
    void resetToFile();
    void acceptGuesses();
    /// Writes the edited scan as a scan.json. @throws InputError
    void saveScan(const QString& path);

  signals:
    void stateChanged();
    void requestChanged();   ///< any edit, undo or redo, or another scan; problems() are up to date
    void openScanChanged();  ///< images can (again) be read with the geometry as it is
    void inspectionChanged();
    void said(const gantry::Message& message);

  private:
    class EditCommand;
    void apply(const Request& request);
    void check();
    void reopen();
    void take(Inspection inspection);

    State m_state = State::empty;
    Request m_request;
    Request m_inFile;
    std::shared_ptr<const Inspection> m_inspection;
    std::vector<GuessedScan::Guess> m_guesses;
    std::vector<Problem> m_problems;
    std::shared_ptr<const OpenScan> m_openScan;
    QUndoStack m_undoStack;
    Background m_opening;
    Background m_inspecting;
    Background m_reopening;
};

}  // namespace gantry
