#include "ui/panels/shared/scan_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "ui/models/scan/tenfold_change.h"
#include "ui/panels/shared/edit_gesture.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/panels/shared/scan_problems.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

struct ScanForm::Row {
    ScanField field;
    QLabel* label = nullptr;
    ScanFieldEditor* editor = nullptr;
    QToolButton* link = nullptr;  // keeps the field that it is linked to equal
};

struct ScanForm::Parts {
    Parts(ScanDocument& theDocument, const std::vector<ScanField>& theFields)
        : document(theDocument), fields(theFields) {}

    ScanDocument& document;
    std::vector<ScanField> fields;
    std::vector<std::unique_ptr<Row>> rows;
    std::vector<std::pair<QString, QWidget*>> headings;
    QGridLayout* grid = nullptr;
    std::function<bool(const ScanField&)> filter;
    std::vector<Problem> problems;               // of the document
    std::array<std::filesystem::path, 2> shown;  // the scan's file and folder
    EditGesture gesture;                      // each drag or turn of the wheel is one step to undo
    std::optional<ScanGeometry> gestureFrom;  // what it began with, while it is under way
    std::pair<QString, QString> tenfold;  // a field and what its edit, the newest, is marked for

    [[nodiscard]] const Row* find(const QString& name) const {
        const auto row =
            std::ranges::find_if(rows, [&](const auto& each) { return each->field.name == name; });
        return row != rows.end() ? row->get() : nullptr;
    }
    [[nodiscard]] bool isShown(const Row& row) const {
        return row.field.applies(document.request().job.scan) && (!filter || filter(row.field));
    }
};

ScanForm::ScanForm(ScanDocument& document, const std::vector<ScanField>& fields, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(document, fields)) {
    auto* grid = m_parts->grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kSpacing);
    grid->setVerticalSpacing(kSpacing / 4);
    grid->setColumnStretch(1, 1);
    for (const ScanField& field : fields)
        addRow(field);
    connect(&document, &ScanDocument::stateChanged, this, &ScanForm::newScan);
    connect(&document, &ScanDocument::scanChanged, this, &ScanForm::refresh);
    connect(&document, &ScanDocument::inspectionChanged, this, &ScanForm::refresh);
    connect(&document.undoStack(), &QUndoStack::indexChanged, this, [this] {
        const Row* row = m_parts->find(std::exchange(m_parts->tenfold, {}).first);
        if (row) refreshMarks(*row);
    });
    newScan();
}

ScanForm::~ScanForm() = default;

void ScanForm::addHeading(const QString& group) {
    QWidget* title = heading(group, this);
    m_parts->grid->addWidget(title, m_parts->grid->rowCount(), 0, 1, 2);
    m_parts->headings.emplace_back(group, title);
}

void ScanForm::addRow(const ScanField& field) {
    if (m_parts->headings.empty() || m_parts->headings.back().first != field.group)
        addHeading(field.group);
    Row& row = *m_parts->rows.emplace_back(std::make_unique<Row>(Row{field}));
    row.label = new QLabel(field.label, this);
    row.label->setToolTip(field.toolTip);
    // The label is as high as a field, so that both stand on one line above a note or problem.
    row.label->setMinimumHeight(kFieldHeight);
    row.editor = makeEditor(field, this);
    row.editor->attachLabel(row.label);
    row.label->setBuddy(row.editor);
    const int line = m_parts->grid->rowCount();
    m_parts->grid->addWidget(row.label, line, 0, Qt::AlignTop);
    m_parts->grid->addWidget(row.editor, line, 1, Qt::AlignTop);
    connect(row.editor, &ScanFieldEditor::changed, this,
            [this, &row](const ScanChange& change, bool isFinal) { edit(row, change, isFinal); });
    connect(row.editor, &ScanFieldEditor::tried, this,
            [this, &row](const ScanChange& change) { tryOut(row, change); });
    if (!field.linkedTo.isEmpty() && m_parts->find(field.linkedTo)) addLinkButton(row);
}

void ScanForm::addLinkButton(Row& row) {
    row.link = named(new QToolButton(this), "link", tr("Keep the pitch the same along u and v"));
    row.link->setIcon(icon("link"));
    row.link->setCheckable(true);
    row.editor->addAccessory(row.link);
}

QWidget* ScanForm::editorOf(const QString& name) const {
    for (const auto& row : m_parts->rows)
        if (isNamed(row->field, name.toStdString()) && m_parts->isShown(*row)) return row->editor;
    return nullptr;
}

void ScanForm::setFilter(std::function<bool(const ScanField&)> filter) {
    m_parts->filter = std::move(filter);
    refresh();
}

void ScanForm::newScan() {
    const ScanFile& scan = m_parts->document.requestInFile().job.scan;
    const std::array now = {scan.path, scan.folder};
    if (std::exchange(m_parts->shown, now) != now)
        for (const auto& row : m_parts->rows)
            row->editor->forgetTyping();
    // A pixel is taken for square as long as it is one.
    const auto& pitch = m_parts->document.geometry().detector.pitchMm;
    for (const auto& row : m_parts->rows)
        if (row->link) row->link->setChecked(pitch[0] == pitch[1]);
    refresh();
}

void ScanForm::refresh() {
    const ScanFile& scan = m_parts->document.request().job.scan;
    m_parts->problems = problemsOfScan(m_parts->document);
    for (const auto& row : m_parts->rows) {
        const bool isShown = m_parts->isShown(*row);
        row->label->setVisible(isShown);
        row->editor->setVisible(isShown);
        row->editor->showScan(scan);
        row->editor->setFixed(isKnownFromImages(row->field, m_parts->document));
        row->editor->setNote(row->field.note ? row->field.note(scan) : QString());
        refreshMarks(*row);
    }
    for (const auto& [group, title] : m_parts->headings)
        title->setVisible(std::ranges::any_of(m_parts->rows, [&, wanted = group](const auto& row) {
            return row->field.group == wanted && m_parts->isShown(*row);
        }));
}

void ScanForm::refreshMarks(const Row& row) {
    const std::vector<Problem>& problems = m_parts->problems;
    // Once: of two fields that are the same in other terms, the first one has it.
    const bool isSaidBefore = !row.field.sameAs.isEmpty() && m_parts->find(row.field.sameAs) &&
                              m_parts->isShown(*m_parts->find(row.field.sameAs));
    const auto problem = std::ranges::find_if(problems, [&](const Problem& each) {
        return !isSaidBefore && isNamed(row.field, each.field);
    });
    const auto& [marked, tenfold] = m_parts->tenfold;
    if (problem != problems.end() && problem->severity == Problem::Severity::error)
        row.editor->setProblem(problemSentence(*problem, m_parts->fields), true);
    else if (marked == row.field.name)
        row.editor->setProblem(tenfold, false);
    else if (problem != problems.end())
        row.editor->setProblem(problemSentence(*problem, m_parts->fields), false);
    else
        row.editor->setProblem({}, false);
    QString reason;
    QString doubt;
    for (const GuessedScan::Guess& guess : m_parts->document.guesses()) {
        if (!isNamed(row.field, guess.field)) continue;
        // What stands in the files is no guess.
        if (!guess.isStated) reason = QString::fromStdString(guess.reason);
        if (guess.isUnsure) doubt = QString::fromStdString(guess.reason);
    }
    row.editor->setGuess(reason);
    row.editor->setDoubt(doubt);
}

void ScanForm::edit(const Row& row, const std::function<void(ScanFile&)>& change, bool isFinal) {
    Request request = m_parts->document.request();
    ScanFile& scan = request.job.scan;
    if (!m_parts->gestureFrom) m_parts->gestureFrom = scan.geometry;
    change(scan);
    // The button stands on one of the two rows and rules both.
    const Row* partner = m_parts->find(row.field.linkedTo);
    const QToolButton* link = row.link ? row.link : partner ? partner->link : nullptr;
    if (link && link->isChecked()) partner->field.assign(scan, row.field.value(scan));
    const QString key = m_parts->gesture.key(row.field.name, isFinal);
    m_parts->document.edit(std::move(request), tr("Change %1").arg(row.field.what), key);
    if (!isFinal) return;
    const ScanGeometry before = *std::exchange(m_parts->gestureFrom, {});
    if (const QString sentence = tenfoldChange(before, m_parts->document.geometry());
        !sentence.isEmpty())
        m_parts->tenfold = {row.field.name, sentence};
    // The document does not report an edit that changes nothing.
    refresh();
}

void ScanForm::tryOut(const Row& row, const std::function<void(ScanFile&)>& change) {
    Request request = m_parts->document.request();
    change(request.job.scan);
    fitVolume(request);
    if (isSame(request, m_parts->document.request())) return refreshMarks(row);
    for (const Problem& problem : problemsOf(request))
        if (isNamed(row.field, problem.field))
            return row.editor->setProblem(problemSentence(problem, m_parts->fields),
                                          problem.severity == Problem::Severity::error);
    row.editor->setProblem({}, false);
}

}  // namespace gantry
