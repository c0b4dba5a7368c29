#include "ui/workspace/scan/scan_document.h"

#include <QPointer>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/trial_process.h"
#include "core/io/series/view_numbers.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// Whether both have the same pixel values, whatever these mean.
bool haveSameValues(ScanFile a, const ScanFile& b) {
    a.projections.kind = b.projections.kind;
    return isSameImages(a, b);
}

bool areSame(const std::vector<Problem>& a, const std::vector<Problem>& b) {
    return std::ranges::equal(a, b, [](const Problem& one, const Problem& other) {
        return one.severity == other.severity && one.field == other.field &&
               one.message == other.message;
    });
}

}  // namespace

class ScanDocument::EditCommand : public QUndoCommand {
  public:
    EditCommand(ScanDocument& document, Request after, const QString& text, QString mergeKey)
        : QUndoCommand(text),
          m_document(document),
          m_before(document.m_request),
          m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey)),
          m_number(++document.m_edits) {}

    [[nodiscard]] quint64 number() const { return m_number; }

    void undo() override { m_document.apply(m_before); }
    void redo() override { m_document.apply(m_after); }
    [[nodiscard]] int id() const override {
        constexpr std::size_t kPositive = 0x7fffffff;
        return m_mergeKey.isEmpty() ? -1 : static_cast<int>(qHash(m_mergeKey) & kPositive);
    }
    bool mergeWith(const QUndoCommand* next) override {
        const auto* edit = dynamic_cast<const EditCommand*>(next);
        if (!edit || edit->m_mergeKey != m_mergeKey) return false;
        m_after = edit->m_after;
        setObsolete(isSame(m_before, m_after));
        return true;
    }

  private:
    ScanDocument& m_document;
    Request m_before;
    Request m_after;
    QString m_mergeKey;
    quint64 m_number;
};

ScanDocument::ScanDocument(QObject* parent) : QObject(parent) {
    m_readSoon.setSingleShot(true);
    m_readSoon.setInterval(0);
    connect(&m_readSoon, &QTimer::timeout, this, &ScanDocument::readImages);
    connect(&m_settings, &SettingsKeeper::failed, this, [this](const QString& sentence) {
        emit messageRaised({Message::Kind::warning, sentence});
    });
}

QString titleOf(const ScanFile& scan) {
    if (!scan.name.empty()) return QString::fromStdString(scan.name);
    const std::filesystem::path folder = scan.folder.lexically_normal();
    return toText(folder.has_filename() ? folder.filename() : folder.parent_path().filename());
}

QString ScanDocument::title() const {
    return hasScan() ? titleOf(m_request.job.scan) : QString();
}

std::shared_ptr<const Inspection> ScanDocument::inspection() const {
    return m_inspection && haveSameValues(m_inspected, m_request.job.scan) ? m_inspection : nullptr;
}

bool ScanDocument::isSaved() const {
    return !hasScan() || isSameScan(m_request.job.scan, m_inFile.job.scan);
}

void ScanDocument::open(const QString& path, std::function<bool()> mayReplace,
                        const std::string& entry) {
    if (geometryFormatOf(toPath(path)) == GeometryFormat::rtk) {
        importGeometry(path);
        return;
    }
    m_opening.start(
        [path = toPath(path), entry](const std::stop_token& stop) {
            const TrialStop trialStop(stop);
            const TrialBudget budget;
            return findScan(path, entry);
        },
        [this, path, mayReplace = std::move(mayReplace)](FoundScan found) {
            if (!found.entries.empty()) {
                QStringList entries;
                for (const std::string& one : found.entries)
                    entries << QString::fromStdString(one);
                emit stateChanged();
                return emit entriesFound(path, entries);
            }
            if (mayReplace && !mayReplace()) return emit stateChanged();
            const State state = found.guesses.empty() ? State::open : State::incomplete;
            const std::string problem = found.settingsProblem;
            replaceBy(std::move(found), state);
            emit opened(path);
            if (problem.empty()) return;
            emit messageRaised(
                {Message::Kind::warning, tr("The usual settings of the reconstruction are used: %1")
                                             .arg(QString::fromStdString(problem))});
        },
        [this](const QString& sentence) {
            emit stateChanged();
            complain(sentence);
        });
    emit stateChanged();
}

void ScanDocument::openRequest(const JobSpec& spec) {
    m_opening.cancel();
    FoundScan found;
    found.images = spec.scan.path;
    found.request.job = spec;
    found.request.job.output.path = freeOutputPath(spec.output.path);
    Request fitted = found.request;
    fitVolume(fitted);
    found.request.volumeIsFitted = fitted.job.volume == spec.volume;
    replaceBy(std::move(found), State::open);
}

void ScanDocument::close() {
    m_opening.cancel();
    replaceBy({}, State::empty);
}

// Pixels come first: the files are opened before the scan is announced, and the statistics of the
// images are made after that.
void ScanDocument::replaceBy(FoundScan found, State state) {
    m_importing.cancel();
    m_inspecting.cancel();
    m_reading.cancel();
    m_undoStack.clear();
    m_firstEdit = m_edits + 1;
    m_settings.begin(found.request);
    m_request = m_inFile = std::move(found.request);
    m_guesses = m_guessed = std::move(found.guesses);
    m_description = std::move(found.description);
    m_inspection = nullptr;
    m_inspected = m_request.job.scan;
    m_toInspect = std::move(found.images);
    m_there = scanOfCopy(m_request.job.scan.path);
    m_openScan = m_lastOpen = nullptr;
    m_imageProblem.reset();
    m_state = state;
    check();
    readImages();
    emit stateChanged();
    announce(kAllChanges, true);
    emit openScanChanged();
    emit inspectionChanged();
}

// The one place that decides which signals a change of the request or its problems raises.
void ScanDocument::announce(const RequestChanges& changes, bool haveProblemsChanged) {
    if (changes.scan || haveProblemsChanged) emit scanChanged();
    if (changes.volume || haveProblemsChanged) emit volumeChanged();
    if (changes.filter) emit filterChanged();
    if (changes.corrections) emit correctionsChanged();
    if (changes.engine) emit engineChanged();
    if (changes.output) emit outputChanged();
    emit requestChanged();
}

void ScanDocument::edit(Request request, const QString& text, const QString& mergeKey) {
    if (!hasScan()) return;
    fitVolume(request);
    if (isSame(request, m_request)) return;
    m_undoStack.push(new EditCommand(*this, std::move(request), text, mergeKey));
}

void ScanDocument::editJob(const std::function<void(JobSpec&)>& change, const QString& text,
                           const QString& mergeKey) {
    Request request = m_request;
    change(request.job);
    edit(std::move(request), text, mergeKey);
}

void ScanDocument::editAndTell(Request request, const QString& text, const QString& sentence) {
    const quint64 before = m_edits;
    edit(std::move(request), text);
    Message message{Message::Kind::info, sentence};
    if (m_edits != before) {
        message.actionText = tr("Undo");
        message.action = [self = QPointer(this), number = m_edits, text] {
            if (self) self->takeBack(number, text);
        };
    }
    emit messageRaised(message);
}

const ScanDocument::EditCommand* ScanDocument::editAt(int place) const {
    return dynamic_cast<const EditCommand*>(m_undoStack.command(place));
}

// Undoes one edit, or reports why not: later edits would be undone with it, so the user must
// decide.
void ScanDocument::takeBack(quint64 number, const QString& text) {
    int place = 0;
    while (place < m_undoStack.count() && editAt(place)->number() != number)
        ++place;
    if (place + 1 == m_undoStack.index()) return m_undoStack.undo();
    if (number < m_firstEdit)
        return emit messageRaised(
            {Message::Kind::info,
             tr("“%1” was an edit of a scan that is no longer open.").arg(text)});
    if (place >= m_undoStack.index())
        return emit messageRaised({Message::Kind::info, tr("“%1” is undone already.").arg(text)});
    QStringList later;
    for (int i = place + 1; i < m_undoStack.index(); ++i)
        later << tr("“%1”").arg(m_undoStack.text(i));
    const quint64 last = editAt(m_undoStack.index() - 1)->number();
    emit messageRaised(
        {Message::Kind::info,
         tr("Not undone: later edits build on “%1”: %2.").arg(text, later.join(", ")),
         tr("Undo these too"), [self = QPointer(this), number, last, place, text] {
             if (!self) return;
             const int index = self->m_undoStack.index();
             const bool isAsSaid = place < index && self->editAt(place)->number() == number &&
                                   self->editAt(index - 1)->number() == last;
             if (!isAsSaid) return self->takeBack(number, text);
             self->m_undoStack.setIndex(place);
         }});
}

void ScanDocument::apply(Request request) {
    // An edit from before the scan was saved elsewhere must not move it back.
    moveScan(request.job.scan, m_request.job.scan.path);
    const std::shared_ptr<const Inspection> before = inspection();
    const RequestChanges changes = changesBetween(m_request, request);
    const std::vector<Problem> problemsBefore = m_problems;
    m_request = std::move(request);
    m_settings.keep(m_request);
    m_guesses.clear();
    std::ranges::copy_if(m_guessed, std::back_inserter(m_guesses),
                         [this](const GuessedScan::Guess& guess) {
                             return isSameField(guess.field, m_inFile.job.scan, m_request.job.scan);
                         });
    check();
    // The timer runs once for all edits in this turn of the event loop.
    m_readSoon.start();
    announce(changes, !areSame(m_problems, problemsBefore));
    if (inspection() != before) emit inspectionChanged();
}

void ScanDocument::check() {
    m_problems.clear();
    if (!hasScan()) return;
    m_problems = problemsOf(m_request);
    // While the geometry has errors, the files cannot have been inspected with it.
    if (m_imageProblem && !hasError(m_problems))
        m_problems.insert(m_problems.begin(), *m_imageProblem);
    checkViews();
}

// A view is bad by its header, or by its pixels if these have been read.
void ScanDocument::checkViews() {
    m_badViews.clear();
    const ScanFile& scan = m_request.job.scan;
    if (!m_lastOpen || !isSameImages(m_lastOpen->description, scan)) return;
    const auto add = [this, &skip = scan.projections.skipViews](const LeftOutView& bad) {
        if (std::ranges::binary_search(skip, bad.view)) return;
        m_badViews.push_back(bad);
        m_problems.push_back({Problem::Severity::error, kSkipViews, bad.sentence});
    };
    for (const LeftOutView& view : m_lastOpen->leftOut)
        if (view.isBad) add(view);
    const std::shared_ptr<const Inspection> found = inspection();
    if (!found) return;
    for (const SeriesInspection& series : found->series)
        for (const SuspectFrame& suspect : series.suspects)
            if (suspect.suspicion == Suspicion::damaged && series.kind == "projections")
                add({suspect.number, suspect.name, true, false, suspect.reason});
}

void ScanDocument::leaveOut(const std::vector<Index>& views) {
    Request request = m_request;
    std::vector<Index>& skip = request.job.scan.projections.skipViews;
    skip = united(std::move(skip), views);
    edit(std::move(request),
         views.size() == 1 ? tr("Leave out a view") : tr("Leave out %1 views").arg(views.size()));
}

void ScanDocument::resetToFile() {
    Request request = m_request;
    request.job.scan = m_inFile.job.scan;
    edit(std::move(request), tr("Reset to file"));
}

void ScanDocument::acceptGuesses() {
    if (m_state != State::incomplete) return;
    m_guessed.clear();
    m_guesses.clear();
    m_state = State::open;
    emit stateChanged();
}

// One piece of work at a time: edits during it are handled afterwards, so that the picture follows
// a long drag.
void ScanDocument::readImages() {
    m_readSoon.stop();
    const ScanFile& scan = m_request.job.scan;
    if (!hasScan() || hasError(validate(scan.geometry))) {
        m_reading.cancel();
        setOpenScan(nullptr);
        return;
    }
    if (m_there) return imagesAreThere();
    if (m_reading.isBusy() && isSameImages(m_beingRead, scan)) return;
    m_beingRead = scan;
    const auto done = [this](OpenScan opened) { imagesOpened(std::move(opened)); };
    const auto failed = [this](const QString& sentence, const ErrorDetails& details) {
        imagesFailed(sentence, details.field.empty() ? "projections.files" : details.field);
    };
    if (m_lastOpen && isSameImages(m_lastOpen->description, scan)) {
        m_reading.start(
            [last = m_lastOpen, geometry = scan.geometry, skip = scan.projections.skipViews](
                const std::stop_token&) { return withGeometry(*last, geometry, skip); },
            done, failed);
        return;
    }
    m_lastOpen = nullptr;
    setOpenScan(nullptr);
    m_reading.start(
        [scan](const std::stop_token& stop) {
            return gantry::openScan(scan, stop, BadViews::list);
        },
        done, failed);
}

void ScanDocument::imagesOpened(OpenScan opened) {
    m_lastOpen = std::make_shared<const OpenScan>(std::move(opened));
    const std::size_t badBefore = m_badViews.size();
    const bool hadProblem = std::exchange(m_imageProblem, {}).has_value();
    check();
    if (hadProblem || m_badViews.size() != badBefore) announce({}, true);
    // Later edits may have changed the geometry or something else, or have caused errors.
    const ScanGeometry& geometry = m_request.job.scan.geometry;
    const ScanFile& description = m_lastOpen->description;
    const ScanFile& wanted = m_request.job.scan;
    const bool isNewest = description.geometry == geometry && isSameImages(description, wanted) &&
                          isSameField(kSkipViews, description, wanted);
    setOpenScan(m_lastOpen);
    if (!isNewest) m_readSoon.start();
    inspect();
}

void ScanDocument::imagesFailed(const QString& sentence, const std::string& field) {
    const ScanFile& scan = m_request.job.scan;
    m_imageProblem = Problem{Problem::Severity::error, field, sentence.toStdString()};
    if (m_lastOpen) {
        // The images are the same; only the geometry has changed since they were opened.
        const SourceInfo& images = m_lastOpen->stored;
        const Detector& detector = m_beingRead.geometry.detector;
        if (images.rows != detector.rows) m_imageProblem->field = "detector.rows";
        if (images.columns != detector.columns) m_imageProblem->field = "detector.columns";
        if (m_lastOpen->images->views() != m_beingRead.geometry.views())
            m_imageProblem->field = "trajectory.views";
    }
    // Problems of an edit are shown beside its field, not reported at every key.
    const bool isSaid = m_undoStack.count() == 0 && !hasError(problemsOf(m_request));
    check();
    setOpenScan(nullptr);
    announce({}, true);
    if (isSaid) complain(sentence);
    if (!isSameImages(m_beingRead, scan) || !(m_beingRead.geometry == scan.geometry))
        m_readSoon.start();
    inspect();
}

void ScanDocument::setOpenScan(std::shared_ptr<const OpenScan> scan) {
    if (scan == m_openScan) return;
    m_openScan = std::move(scan);
    emit openScanChanged();
}

void ScanDocument::inspect() {
    if (m_toInspect.empty()) return;
    InspectOptions options;
    // The other threads are left for what the user is viewing.
    options.threads = std::max(1, availableThreads() / 2);
    m_inspecting.start(
        [path = std::exchange(m_toInspect, {}), scan = m_inspected,
         options](const std::stop_token& stop) mutable -> std::shared_ptr<const Inspection> {
            options.stop = stop;
            // A job's request outlives the file that it was made from, which may be gone, or refer
            // to other images by now.
            if (!pathExists(path)) return nullptr;
            auto found = std::make_shared<Inspection>(inspectPath(path, options));
            if (!found->scan) {
                inspectAs(scan, options, *found);
                found->scan = scan;
            }
            return haveSameValues(*found->scan, scan) ? found : nullptr;
        },
        [this](std::shared_ptr<const Inspection> inspection) {
            m_inspection = std::move(inspection);
            const std::size_t badBefore = m_badViews.size();
            check();
            if (m_badViews.size() != badBefore) announce({}, true);
            emit inspectionChanged();
        },
        [this](const QString& sentence) { complain(sentence); });
}

}  // namespace gantry
