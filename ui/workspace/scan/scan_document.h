#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/describe/scan_description.h"
#include "core/plan/job_spec.h"
#include "core/remote/shell/host_scan.h"
#include "core/scan/geometry_file.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/inspect/inspect_scan.h"
#include "core/scan/open_scan.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/scan/found_scan.h"
#include "ui/workspace/scan/request.h"
#include "ui/workspace/scan/settings_file.h"

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

    /// Opens a scan.json, a folder of images or with a scan.json, an image file, or an RTK geometry
    /// (which replaces the geometry of the open scan). The open scan stays until the new one is
    /// known to be valid and, if edits would be lost, mayReplace() returns true; null: it may
    /// always be replaced. entry: which scan of a file that holds several; if it is empty, such a
    /// file is not opened, and entriesFound() is raised.
    void open(const QString& path, std::function<bool()> mayReplace = {},
              const std::string& entry = {});
    /// Opens the request of a job ("run again with changes").
    void openRequest(const JobSpec& spec);
    void close();

    [[nodiscard]] State state() const { return m_opening.isBusy() ? State::opening : m_state; }
    /// Incomplete or open; also while another one is being opened.
    [[nodiscard]] bool hasScan() const { return m_state != State::empty; }
    [[nodiscard]] QString title() const;

    [[nodiscard]] const Request& request() const { return m_request; }
    [[nodiscard]] const ScanGeometry& geometry() const { return m_request.job.scan.geometry; }
    /// The request as it was opened, to which "reset to file" returns.
    [[nodiscard]] const Request& requestInFile() const { return m_inFile; }
    /// The inspection of the images; null until it is done, and while an edit refers to other
    /// images.
    [[nodiscard]] std::shared_ptr<const Inspection> inspection() const;
    /// Fields that are guesses, by their JSON names, with the reason.
    [[nodiscard]] const std::vector<GuessedScan::Guess>& guesses() const { return m_guesses; }
    /// The scanner's file that the scan was opened by; null: it was another, or bare images.
    [[nodiscard]] const std::shared_ptr<const ScanDescription>& description() const {
        return m_description;
    }
    /// Problems of the edited geometry, volume and arc, errors first; updated by every edit at
    /// once.
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    [[nodiscard]] bool hasErrors() const { return hasError(m_problems); }
    /// The place of the images, for a scan that was fetched from a host: none of them are shown
    /// here.
    [[nodiscard]] const std::optional<HostScan>& there() const { return m_there; }
    /// Whether the only problem is that the images cannot be opened here.
    [[nodiscard]] bool lacksImagesOnly() const;
    /// Unusable views that are not left out yet, by their numbers in the trajectory: each has a
    /// problem of the field kSkipViews in problems().
    [[nodiscard]] const std::vector<LeftOutView>& badViews() const { return m_badViews; }
    /// Leaves out these views too, undoably.
    void leaveOut(const std::vector<Index>& views);
    /// The scan's files opened with the edited geometry. For an instant after an edit it is still
    /// the one before, until openScanChanged(); null while the geometry has errors or the files are
    /// being opened. Whoever holds it may use it in the background.
    [[nodiscard]] std::shared_ptr<const OpenScan> openScan() const { return m_openScan; }

    [[nodiscard]] QUndoStack& undoStack() { return m_undoStack; }
    /// Whether the scan equals its file. Settings of the reconstruction are saved without asking.
    [[nodiscard]] bool isSaved() const;
    /// Makes `request` the edited one, undoably. text: "Change SDD", for the undo menu. Consecutive
    /// edits with the same non-empty mergeKey are one undo step (typing, dragging).
    void edit(Request request, const QString& text, const QString& mergeKey = {});
    /// Makes an edit that changes the current job.
    void editJob(const std::function<void(JobSpec&)>& change, const QString& text,
                 const QString& mergeKey = {});
    /// Makes an edit, and shows a sentence with a button that undoes only this edit.
    void editAndTell(Request request, const QString& text, const QString& sentence);
    /// Reverts all edits of the scan, undoably; the reconstruction's settings stay.
    void resetToFile();
    void acceptGuesses();
    /// Replaces the geometry, undoably, by that of a file: RTK XML, a scan.json, LEAP's parameters,
    /// ASTRA vectors. The detector's size and, with RTK, pitch stay. Reports by said().
    void importGeometry(const QString& path);
    /// Writes the edited geometry: ".xml" RTK, otherwise ASTRA vectors. Reports by said().
    void exportGeometry(const QString& path);
    /// Writes the edited scan as a scan.json, which accepts its guesses. @throws InputError
    void saveScan(const QString& path);

  signals:
    void stateChanged();
    // What an edit, undo, redo or another scan has changed; problems() are up to date.
    void scanChanged();    ///< the scan or a problem; also what its file has
    void volumeChanged();  ///< the volume's grid, the geometry that it fits, or a problem
    void filterChanged();
    void correctionsChanged();
    void engineChanged();  ///< all other settings but the output's
    void outputChanged();
    void requestChanged();   ///< after these: any of them
    void openScanChanged();  ///< images can be read (again) with the current geometry
    void inspectionChanged();
    /// The file holds several scans, by their names: open() must be told which one is meant.
    void entriesFound(const QString& path, const QStringList& entries);
    void opened(const QString& path);  ///< open() has found its scan
    void messageRaised(const gantry::Message& message);

  private:
    class EditCommand;
    [[nodiscard]] const EditCommand* editAt(int place) const;
    void takeBack(quint64 edit, const QString& text);
    void replaceBy(FoundScan found, State state);
    void apply(Request request);
    void announce(const RequestChanges& changes, bool haveProblemsChanged);
    void check();
    void checkViews();
    void readImages();
    void imagesOpened(OpenScan opened);
    void imagesFailed(const QString& sentence, const std::string& field);
    void imagesAreThere();
    void setOpenScan(std::shared_ptr<const OpenScan> scan);
    void inspect();
    void take(GeometryFormat format, ExchangedGeometry read, const QString& path);
    void complain(const QString& sentence) { emit messageRaised({Message::Kind::error, sentence}); }

    State m_state = State::empty;  // never opening: m_opening has that state
    Request m_request;
    Request m_inFile;
    std::shared_ptr<const Inspection> m_inspection;  // for m_inspected
    ScanFile m_inspected;                            // as opened
    std::vector<GuessedScan::Guess> m_guessed;       // the initial guesses
    std::vector<GuessedScan::Guess> m_guesses;
    std::shared_ptr<const ScanDescription> m_description;
    std::vector<Problem> m_problems;
    std::vector<LeftOutView> m_badViews;
    std::optional<HostScan> m_there;             // for a scan of a host
    std::optional<Problem> m_imageProblem;       // why the files cannot be opened
    std::shared_ptr<const OpenScan> m_openScan;  // returned by openScan()
    std::shared_ptr<const OpenScan> m_lastOpen;  // kept while the geometry has errors
    ScanFile m_beingRead;                        // by m_reading, while it is busy
    std::filesystem::path m_toInspect;           // when the images are open
    QUndoStack m_undoStack;
    quint64 m_edits = 0;      // number of edits so far, which identifies each
    quint64 m_firstEdit = 1;  // of the current scan
    SettingsKeeper m_settings;
    QTimer m_readSoon;
    Background m_opening;
    Background m_reading;
    Background m_inspecting;
    Background m_importing;
    Background m_exporting;
};

}  // namespace gantry
