#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/plan/job_spec.h"
#include "core/remote/host_scan.h"
#include "core/scan/geometry_file.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/inspect/inspect_scan.h"
#include "core/scan/open_scan.h"
#include "ui/models/message.h"
#include "ui/workspace/background.h"
#include "ui/workspace/found_scan.h"
#include "ui/workspace/request.h"
#include "ui/workspace/settings_file.h"

namespace gantry {

/// The name of a scan, or that of its folder.
[[nodiscard]] QString titleOf(const ScanFile& scan);

/// The open scan with the user's edits. Opening, inspecting and checking run in the background.
/// GUI thread only.
/// Tests: tests/ui/workspace/scan_document_test.cpp, tests/ui/workspace/scan_edits_test.cpp
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
    /// new one is known to be one and, where edits would be lost, mayReplace() allows it; null: it
    /// may.
    void open(const QString& path, std::function<bool()> mayReplace = {});
    /// Takes the request of a job ("run again with changes").
    void openRequest(const JobSpec& spec);
    void close();

    [[nodiscard]] State state() const;
    /// Incomplete or open; also while another is being opened.
    [[nodiscard]] bool hasScan() const { return m_state != State::empty; }
    [[nodiscard]] QString title() const;

    [[nodiscard]] const Request& request() const { return m_request; }
    [[nodiscard]] const ScanGeometry& geometry() const { return m_request.job.scan.geometry; }
    /// As it was opened: what "reset to file" returns to.
    [[nodiscard]] const Request& requestInFile() const { return m_inFile; }
    /// Of the images; null until they have been looked at, and while an edit means other images
    /// than those.
    [[nodiscard]] std::shared_ptr<const Inspection> inspection() const;
    /// Fields that are guesses, by their JSON names, with the reason.
    [[nodiscard]] const std::vector<GuessedScan::Guess>& guesses() const { return m_guesses; }
    /// Of the edited geometry, volume and arc, errors first; kept up with every edit at once.
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    [[nodiscard]] bool hasErrors() const;
    /// Where the images are, of a scan that was brought from a host: none of them are shown here.
    [[nodiscard]] const std::optional<HostScan>& there() const { return m_there; }
    /// Nothing is wrong but that the images cannot be opened here.
    [[nodiscard]] bool lacksImagesOnly() const;
    /// Views that cannot be used and are not left out yet, by their numbers in the trajectory: each
    /// has a problem of the field kSkipViews in problems().
    [[nodiscard]] const std::vector<LeftOutView>& badViews() const { return m_badViews; }
    /// Leaves these views, too, out of the reconstruction, undoably.
    void leaveOut(const std::vector<Index>& views);
    /// The scan's files opened with the edited geometry. For an instant after an edit that of
    /// before it, until openScanChanged(); null while the geometry has errors or the files are
    /// being opened. May be used in the background by whoever holds it.
    [[nodiscard]] std::shared_ptr<const OpenScan> openScan() const { return m_openScan; }

    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }
    /// Whether the scan is as its file describes it. Settings of the reconstruction are saved
    /// without asking.
    [[nodiscard]] bool isSaved() const;
    /// Makes `request` the edited one, undoably. text: "Change SDD", for the undo menu. Consecutive
    /// edits with the same non-empty mergeKey are one undo step (typing, dragging).
    void edit(Request request, const QString& text, const QString& mergeKey = {});
    /// The same with one change to the job asked for as it is now.
    void editJob(const std::function<void(JobSpec&)>& change, const QString& text,
                 const QString& mergeKey = {});
    /// As edit(), and says a sentence with a button that undoes this edit and no other.
    void editAndTell(Request request, const QString& text, const QString& sentence);
    /// Takes back all edits of the scan, undoably; the reconstruction's settings stay.
    void resetToFile();
    void acceptGuesses();
    /// Replaces the geometry, undoably, by that of a file: RTK XML, a scan.json, LEAP's parameters,
    /// ASTRA vectors. The detector's size and, with RTK, pitch stay as they are. Reports by said().
    void importGeometry(const QString& path);
    /// Writes the edited geometry: ".xml" RTK, otherwise ASTRA vectors. Reports by said().
    void exportGeometry(const QString& path);
    /// Writes the edited scan as a scan.json; its guesses are thereby accepted. @throws InputError
    void saveScan(const QString& path);

  signals:
    void stateChanged();
    void requestChanged();   ///< any edit, undo or redo, or another scan; problems() are up to date
    void openScanChanged();  ///< images can (again) be read with the geometry as it is
    void inspectionChanged();
    void opened(const QString& path);  ///< open() has found the scan that it was to
    void said(const gantry::Message& message);

  private:
    class EditCommand;
    [[nodiscard]] const EditCommand* editAt(int place) const;
    void takeBack(quint64 edit, const QString& text);
    void replaceBy(FoundScan found, State state);
    void apply(Request request);
    void check();
    void checkViews();
    void readImages();
    void imagesOpened(OpenScan opened);
    void imagesFailed(const QString& sentence);
    void imagesAreThere();
    void setOpenScan(std::shared_ptr<const OpenScan> scan);
    void inspect();
    void take(GeometryFormat format, ExchangedGeometry read, const QString& path);
    void complain(const QString& sentence);

    State m_state = State::empty;  // never opening: that is m_opening's
    Request m_request;
    Request m_inFile;
    std::shared_ptr<const Inspection> m_inspection;  // of m_inspected
    ScanFile m_inspected;                            // as it was opened
    std::vector<GuessedScan::Guess> m_guessed;       // to begin with
    std::vector<GuessedScan::Guess> m_guesses;
    std::vector<Problem> m_problems;
    std::vector<LeftOutView> m_badViews;
    std::optional<HostScan> m_there;             // of a scan of a host
    std::optional<Problem> m_imageProblem;       // why the files cannot be opened
    std::shared_ptr<const OpenScan> m_openScan;  // what openScan() gives
    std::shared_ptr<const OpenScan> m_lastOpen;  // also while the geometry has errors
    ScanFile m_beingRead;                        // by m_reading, while that is busy
    std::filesystem::path m_toInspect;           // once the images are open
    QUndoStack m_undoStack;
    quint64 m_edits = 0;      // so far; each has its number
    quint64 m_firstEdit = 1;  // of this scan
    SettingsKeeper m_settings;
    QTimer m_readSoon;
    Background m_opening;
    Background m_reading;
    Background m_inspecting;
    Background m_importing;
    Background m_exporting;
};

}  // namespace gantry
