#include "ui/workspace/search/open_questions.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"
#include "core/doctor/settle.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/scan/guess/described_scan.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

bool areSameImages(const ScanFile& a, const ScanFile& b) {
    return a.geometry == b.geometry && isSameImages(a, b);
}

// The answers that the user gave.
Answers toldOf(const std::vector<OpenQuestion>& questions) {
    Answers told;
    for (const OpenQuestion& question : questions)
        if (isTold(question)) told[question.name] = question.taken;
    return told;
}

// Changes a scan in what differs between two ways to read its description, so that other edits, as
// of the centre of rotation, stay.
void takeDifference(const ScanFile& before, const ScanFile& after, ScanFile& scan) {
    if (scan.geometry == before.geometry || !before.geometry.hasAngles() ||
        !after.geometry.hasAngles() || !scan.geometry.hasAngles()) {
        scan.geometry = after.geometry;
    }
    for (const FileField<ScanFile>& field : scanFileFields()) {
        const bool isGeometry = field.shape.section == "trajectory";
        if (isGeometry && !hasField(scan.geometry, field.shape)) continue;
        if (!field.isSame(before, after)) field.assign(scan, field.value(after));
    }
}

QString resultOf(const std::vector<OpenQuestion>& questions) {
    QStringList found;
    QStringList open;
    for (const OpenQuestion& question : questions) {
        if (isSettled(question) || QString::fromStdString(question.how).startsWith("found"))
            found << OpenQuestions::tr("%1: %2, %3")
                         .arg(titleOf(question), QString::fromStdString(question.taken),
                              QString::fromStdString(question.how));
        else
            open << titleOf(question).toLower();
    }
    QString text = found.isEmpty()
                       ? OpenQuestions::tr("The views settle none of the open questions")
                       : found.join("; ");
    if (!open.isEmpty()) text += OpenQuestions::tr(". Still open: %1").arg(open.join(", "));
    return text + '.';
}

}  // namespace

QString titleOf(const OpenQuestion& question) {
    QString title;
    for (const QChar letter : QString::fromStdString(question.name)) {
        if (letter.isUpper() && !title.isEmpty()) title += ' ';
        title += title.isEmpty() ? letter.toUpper() : letter.toLower();
    }
    return title;
}

Settlement searchAnswers(const ScanDescription& description, const OpenScan* open,
                         const SearchControl& control) {
    DiagnosisOptions options;
    options.threads = availableThreads();
    options.stop = control.stop;
    options.onProgress = control.tell;
    const auto preview = makeCpuPlanePreview(options.threads);
    if (open) return settleQuestions(description, *open, *preview, options);
    return settleQuestions(description, openScan(description.scan, control.stop, BadViews::list),
                           *preview, options);
}

OpenQuestions::OpenQuestions(ScanDocument& scan, QObject* parent) : QObject(parent), m_scan(scan) {
    connect(&scan, &ScanDocument::stateChanged, this, &OpenQuestions::begin);
    connect(&scan, &ScanDocument::openScanChanged, this, &OpenQuestions::followScan);
    connect(&scan, &ScanDocument::scanChanged, this, &OpenQuestions::followScan);
    connect(&m_search, &ScanSearch::progressed, this, &OpenQuestions::progressed);
}

std::vector<OpenQuestion> OpenQuestions::questions() const {
    if (!m_scan.description()) return {};
    return answeredAs(m_scan.description()->questions, m_scan.request().job.scan.origin.answers);
}

// Another scan may have been opened.
void OpenQuestions::begin() {
    const std::shared_ptr<const ScanDescription>& description = m_scan.description();
    if (description == m_begun) return;
    m_begun = description;
    m_search.cancel();
    m_reading.cancel();
    m_problem.clear();
    m_isWaiting = description && !description->questions.empty();
    followScan();
}

// The views are asked once they can be read, unless the user changes the scan before.
void OpenQuestions::followScan() {
    const std::shared_ptr<const ScanDescription>& description = m_scan.description();
    const ScanFile& scan = m_scan.request().job.scan;
    if (m_isWaiting && !areSameImages(scan, description->scan)) {
        m_isWaiting = false;
        m_problem = tr("The scan was changed before the views could be asked.");
    }
    if (m_isWaiting && m_scan.openScan()) start(*description, m_scan.openScan());
    if (isSearching() && !areSameImages(scan, m_searched)) {
        m_search.cancel();
        m_problem = tr("The scan was changed while the views were asked.");
    }
    emit changed();
}

void OpenQuestions::search() {
    if (!m_scan.description()) return;
    m_problem.clear();
    m_reading.start([file = m_scan.description()->file, told = toldOf(questions())](
                        const std::stop_token&) { return describedWithImages(file, told); },
                    [this](ScanDescription description) { start(std::move(description), nullptr); },
                    [this](const QString& sentence) { fail(sentence); });
}

void OpenQuestions::start(ScanDescription description, std::shared_ptr<const OpenScan> open) {
    m_isWaiting = false;
    m_searched = m_scan.request().job.scan;
    m_search.start(
        [description = std::move(description),
         open = std::move(open)](const SearchControl& control) {
            return searchAnswers(description, open.get(), control);
        },
        [this](const Settlement& found) { finish(found); },
        [this](const QString& sentence) { fail(sentence); });
    emit changed();
}

void OpenQuestions::finish(const Settlement& found) {
    const ScanDescription& description = found.description;
    const QString sentence = resultOf(description.questions);
    m_reading.start(
        [file = description.file, answers = answersIn(m_scan.request().job.scan.origin.answers)](
            const std::stop_token&) { return describedWithImages(file, answers).scan; },
        [this, after = description.scan, sentence](const ScanFile& before) {
            take(before, after, tr("Settle open questions"), sentence);
        },
        [this](const QString& why) { fail(why); });
    emit changed();
}

void OpenQuestions::cancel() {
    m_isWaiting = false;
    m_search.cancel();
    m_problem = tr("The views were not asked to the end.");
    emit changed();
}

void OpenQuestions::fail(const QString& sentence) {
    m_problem = sentence;
    emit changed();
}

void OpenQuestions::answer(const std::string& name, const std::string& answer) {
    if (!m_scan.description()) return;
    m_isWaiting = false;
    m_search.cancel();
    m_problem.clear();
    std::vector<OpenQuestion> asked = questions();
    const auto changed = std::ranges::find(asked, name, &OpenQuestion::name);
    if (changed == asked.end()) return;
    changed->taken = answer;
    changed->how = "as told";
    std::vector<std::string> written;
    written.reserve(asked.size());
    for (const OpenQuestion& question : asked)
        written.push_back(writtenAnswer(question));
    const auto read = [file = m_scan.description()->file](const std::vector<std::string>& answers) {
        return describedWithImages(file, answersIn(answers)).scan;
    };
    m_reading.start(
        [read, before = m_scan.request().job.scan.origin.answers, written](const std::stop_token&) {
            return std::pair(read(before), read(written));
        },
        [this, written, name](std::pair<ScanFile, ScanFile> scans) {
            scans.second.origin.answers = written;
            take(scans.first, scans.second, tr("Answer %1").arg(QString::fromStdString(name)), {});
        },
        [this](const QString& sentence) { fail(sentence); });
}

void OpenQuestions::take(const ScanFile& before, const ScanFile& after, const QString& text,
                         const QString& sentence) {
    Request request = m_scan.request();
    takeDifference(before, after, request.job.scan);
    request.job.scan.origin.answers = after.origin.answers;
    if (sentence.isEmpty())
        m_scan.edit(std::move(request), text);
    else
        m_scan.editAndTell(std::move(request), text, sentence);
    emit changed();
}

}  // namespace gantry
