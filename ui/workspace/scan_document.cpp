#include "ui/workspace/scan_document.h"

#include <QPointer>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/io/view_numbers.h"
#include "ui/models/text.h"
#include "ui/workspace/geometry_file.h"

namespace gantry {

namespace {

// Whether both have the same values in their images, whatever these mean.
bool haveSameValues(ScanFile a, const ScanFile& b) {
    a.projections.kind = b.projections.kind;
    return isSameImages(a, b);
}

}  // namespace

class ScanDocument::EditCommand : public QUndoCommand {
  public:
    EditCommand(ScanDocument& document, Request after, const QString& text, QString mergeKey)
        : QUndoCommand(text),
          m_document(document),
          m_before(document.m_request),
          m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey)) {}

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
};

ScanDocument::ScanDocument(QObject* parent) : QObject(parent) {
    m_readSoon.setSingleShot(true);
    m_readSoon.setInterval(0);
    connect(&m_readSoon, &QTimer::timeout, this, &ScanDocument::readImages);
}

ScanDocument::~ScanDocument() = default;

ScanDocument::State ScanDocument::state() const {
    return m_opening.isBusy() ? State::opening : m_state;
}

QString titleOf(const ScanFile& scan) {
    if (!scan.name.empty()) return QString::fromStdString(scan.name);
    const std::filesystem::path folder = scan.folder.lexically_normal();
    return toText(folder.has_filename() ? folder.filename() : folder.parent_path().filename());
}

QString ScanDocument::title() const {
    return hasScan() ? titleOf(m_request.job.scan) : QString();
}

bool ScanDocument::hasErrors() const {
    return hasError(m_problems);
}

std::shared_ptr<const Inspection> ScanDocument::inspection() const {
    return m_inspection && haveSameValues(m_inspected, m_request.job.scan) ? m_inspection : nullptr;
}

void ScanDocument::open(const QString& path) {
    if (geometryFormatOf(toPath(path)) == GeometryFormat::rtk) {
        importGeometry(path);
        return;
    }
    m_opening.start([path = toPath(path)](const std::stop_token&) { return findScan(path); },
                    [this, path](FoundScan found) {
                        const State state = found.guesses.empty() ? State::open : State::incomplete;
                        replaceBy(std::move(found), state);
                        emit opened(path);
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

// Pixels first: the files are opened before anybody hears of the scan, and the statistics of the
// images are left for when that is done.
void ScanDocument::replaceBy(FoundScan found, State state) {
    m_importing.cancel();
    m_inspecting.cancel();
    m_reading.cancel();
    m_undoStack.clear();
    m_request = m_inFile = std::move(found.request);
    m_guesses = m_guessed = std::move(found.guesses);
    m_inspection = nullptr;
    m_inspected = m_request.job.scan;
    m_toInspect = std::move(found.images);
    m_openScan = m_lastOpen = nullptr;
    m_imageProblem.reset();
    m_state = state;
    check();
    readImages();
    emit stateChanged();
    emit requestChanged();
    emit openScanChanged();
    emit inspectionChanged();
}

void ScanDocument::edit(Request request, const QString& text, const QString& mergeKey) {
    if (!hasScan()) return;
    fitVolume(request);
    if (isSame(request, m_request)) return;
    m_undoStack.push(new EditCommand(*this, std::move(request), text, mergeKey));
}

void ScanDocument::apply(Request request) {
    // An edit from before the scan was saved elsewhere does not move it back.
    moveScan(request.job.scan, m_request.job.scan.path);
    const std::shared_ptr<const Inspection> before = inspection();
    m_request = std::move(request);
    m_guesses.clear();
    std::copy_if(m_guessed.begin(), m_guessed.end(), std::back_inserter(m_guesses),
                 [this](const GuessedScan::Guess& guess) {
                     return isSameField(guess.field, m_inFile.job.scan, m_request.job.scan);
                 });
    check();
    // Once for all edits of this turn of the event loop.
    m_readSoon.start();
    emit requestChanged();
    if (inspection() != before) emit inspectionChanged();
}

void ScanDocument::check() {
    m_problems.clear();
    if (!hasScan()) return;
    m_problems = problemsOf(m_request);
    // While the geometry is wrong, the files cannot have been looked at with it.
    if (m_imageProblem && !hasError(m_problems))
        m_problems.insert(m_problems.begin(), *m_imageProblem);
    checkViews();
}

// Bad by its header, or by its pixels as far as these have been looked at.
void ScanDocument::checkViews() {
    m_badViews.clear();
    const ScanFile& scan = m_request.job.scan;
    if (!m_lastOpen || !isSameImages(m_lastOpen->description, scan)) return;
    const auto add = [this, &skip = scan.projections.skipViews](const LeftOutView& bad) {
        if (std::binary_search(skip.begin(), skip.end(), bad.view)) return;
        m_badViews.push_back(bad);
        m_problems.push_back({Problem::Severity::error, kSkipViews, bad.sentence});
    };
    for (const LeftOutView& view : m_lastOpen->leftOut)
        if (view.isBad) add(view);
    const std::shared_ptr<const Inspection> found = inspection();
    if (!found) return;
    for (const SeriesInspection& series : found->series)
        for (const SuspectFrame& suspect : series.suspects)
            if (suspect.isUnreadable && series.kind == "projections")
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
    edit(m_inFile, tr("Reset to file"));
}

void ScanDocument::acceptGuesses() {
    if (m_state != State::incomplete) return;
    m_guessed.clear();
    m_guesses.clear();
    m_state = State::open;
    emit stateChanged();
}

// One piece of work at a time: edits that come in the meantime are taken up when it is done, so
// that a long drag is followed and not waited out.
void ScanDocument::readImages() {
    m_readSoon.stop();
    const ScanFile& scan = m_request.job.scan;
    if (!hasScan() || hasError(validate(scan.geometry))) {
        m_reading.cancel();
        setOpenScan(nullptr);
        return;
    }
    if (m_reading.isBusy() && isSameImages(m_beingRead, scan)) return;
    m_beingRead = scan;
    const auto done = [this](OpenScan opened) { imagesOpened(std::move(opened)); };
    const auto failed = [this](const QString& sentence) { imagesFailed(sentence); };
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
    if (hadProblem || m_badViews.size() != badBefore) emit requestChanged();
    // Later edits may have been of the geometry, of something else, or have made it wrong.
    const ScanGeometry& geometry = m_request.job.scan.geometry;
    const ScanFile& description = m_lastOpen->description;
    const ScanFile& wanted = m_request.job.scan;
    const bool isNewest = description.geometry == geometry && isSameImages(description, wanted) &&
                          isSameField(kSkipViews, description, wanted);
    setOpenScan(m_lastOpen);
    if (!isNewest) m_readSoon.start();
    inspect();
}

void ScanDocument::imagesFailed(const QString& sentence) {
    const ScanFile& scan = m_request.job.scan;
    m_imageProblem = Problem{Problem::Severity::error, "projections.files", sentence.toStdString()};
    if (m_lastOpen) {
        // Only the geometry is another than the one that they were opened with.
        const SourceInfo& images = m_lastOpen->stored->source->info();
        const Detector& detector = m_beingRead.geometry.detector;
        if (images.rows != detector.rows) m_imageProblem->field = "detector.rows";
        if (images.columns != detector.columns) m_imageProblem->field = "detector.columns";
        if (m_lastOpen->stored->views() != m_beingRead.geometry.views)
            m_imageProblem->field = "trajectory.views";
    }
    // What an edit leads to is shown beside its field, and not said at every key.
    const bool isSaid = m_undoStack.count() == 0 && !hasError(problemsOf(m_request));
    check();
    setOpenScan(nullptr);
    emit requestChanged();
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
    // The rest is for what the user looks at.
    options.threads = std::max(1, availableThreads() / 2);
    m_inspecting.start(
        [path = std::exchange(m_toInspect, {}), scan = m_inspected,
         options](const std::stop_token& stop) mutable -> std::shared_ptr<const Inspection> {
            options.stop = stop;
            // A job's request outlives the file that it was made from, which may be gone, or mean
            // other images by now.
            if (!pathExists(path)) return nullptr;
            auto found = std::make_shared<const Inspection>(inspectPath(path, options));
            return !found->scan || haveSameValues(*found->scan, scan) ? found : nullptr;
        },
        [this](std::shared_ptr<const Inspection> inspection) {
            m_inspection = std::move(inspection);
            const std::size_t badBefore = m_badViews.size();
            check();
            if (m_badViews.size() != badBefore) emit requestChanged();
            emit inspectionChanged();
        },
        [this](const QString& sentence) { complain(sentence); });
}

void ScanDocument::importGeometry(const QString& path) {
    if (!hasScan()) {
        complain(tr("%1 is a geometry, which belongs to projections: open those first, then the "
                    "geometry again.")
                     .arg(path));
        return;
    }
    m_importing.start([path = toPath(path), detector = geometry().detector](
                          const std::stop_token&) { return readGeometryFile(path, detector); },
                      [this, path](ScanGeometry geometry) { take(std::move(geometry), path); },
                      [this](const QString& sentence) { complain(sentence); });
}

void ScanDocument::take(ScanGeometry geometry, const QString& path) {
    QString text = tr("Import geometry");
    switch (geometryFormatOf(toPath(path))) {
        case GeometryFormat::rtk:
            text = tr("Import RTK geometry");
            break;
        case GeometryFormat::astra:
            text = tr("Import ASTRA vectors");
            break;
        case GeometryFormat::scan:
            break;
    }
    Request request = m_request;
    request.job.scan.geometry = std::move(geometry);
    const int before = m_undoStack.index();
    edit(std::move(request), text);
    const int after = m_undoStack.index();
    Message message{Message::Kind::info, tr("The geometry is now that of %1.").arg(path)};
    if (after != before) {
        message.actionText = tr("Undo");
        // By then the same place in the undo stack may be another edit's, or another scan's.
        message.action = [self = QPointer(this), after, imported = m_request]() mutable {
            if (!self || self->m_undoStack.index() != after) return;
            moveScan(imported.job.scan, self->m_request.job.scan.path);
            if (isSame(imported, self->m_request)) self->m_undoStack.undo();
        };
    }
    emit said(message);
}

void ScanDocument::exportGeometry(const QString& path) {
    m_exporting.start(
        [path = toPath(path), geometry = geometry()](const std::stop_token&) {
            writeGeometryFile(path, geometry);
            return true;
        },
        [this, path](bool) {
            emit said({Message::Kind::info, tr("The geometry was written to %1.").arg(path)});
        },
        [this](const QString& sentence) { complain(sentence); });
}

void ScanDocument::saveScan(const QString& path) {
    if (!hasScan()) throw InputError("There is no scan to be saved; open one first.");
    Request saved = m_request;
    ScanFile& scan = saved.job.scan;
    moveScan(scan, std::filesystem::absolute(toPath(path)).lexically_normal());
    scan.volume.reset();
    if (!saved.volumeIsFitted) scan.volume = saved.job.volume;
    throwOnError(validate(scan.geometry), "The scan cannot be saved yet");
    writeFileAtomically(scan.path, toJson(scan));
    m_request = m_inFile = std::move(saved);
    moveScan(m_inspected, m_request.job.scan.path);
    m_guessed = m_guesses;
    m_undoStack.setClean();
    emit requestChanged();
}

void ScanDocument::complain(const QString& sentence) {
    emit said({Message::Kind::error, sentence});
}

}  // namespace gantry
