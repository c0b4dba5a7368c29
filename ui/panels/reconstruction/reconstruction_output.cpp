#include "ui/panels/reconstruction/reconstruction_output.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "core/base/file.h"
#include "core/job/job_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/models/text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/text_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

const FileField<JobSpec>& rangeRow() {
    return jobOption("output.range");
}

// The texts of what the path consists of.
enum Part { kFormat, kName, kFolder };
const FieldOption& textsOf(Part part) {
    return jobOption("output.path").option.parts[part];
}

// Long words must not make the panel wide.
void narrow(QComboBox& box) {
    constexpr int kLetters = 10;
    box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box.setMinimumContentsLength(kLetters);
}

// What fits into the panel of a name, whose ends say most.
QString shortName(const QWidget& shownIn, const QString& name) {
    constexpr int kLetters = 18;
    const QFontMetrics metrics = shownIn.fontMetrics();
    return metrics.elidedText(name, Qt::ElideMiddle, kLetters * metrics.averageCharWidth());
}

// A folder of slices keeps the slash at its end.
std::filesystem::path freeBeside(const std::filesystem::path& output) {
    return output.has_filename() ? freeOutputPath(output)
                                 : freeOutputPath(output.parent_path()) / "";
}

}  // namespace

ReconstructionOutput::ReconstructionOutput(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan), m_controls(new OptionControls(scan, this)) {
    makeFormat();
    makeRange();
    makePlace();
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addWidget(heading(tr("Output")));
    column->addWidget(makeForm());
    m_sentence = named(wrapped(new QLabel), "outputSentence");
    m_sentence->setMinimumWidth(1);  // not that of its longest word, which may be a name
    m_replace = named(new QPushButton, "replaceOutput");
    column->addWidget(m_sentence);
    column->addWidget(m_replace, 0, Qt::AlignLeft);
    connect(m_replace, &QPushButton::clicked, this, [this] {
        const std::filesystem::path& path = m_scan.request().job.output.path;
        m_replaced = m_replaced == path ? std::filesystem::path() : path;
        check();
    });
    connect(&m_scan, &ScanDocument::outputChanged, this, &ReconstructionOutput::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &ReconstructionOutput::show);
    // Text being typed was meant for the scan before.
    connect(&m_scan, &ScanDocument::opened, this, [this] {
        m_name->setModified(false);
        m_folder->setModified(false);
        show();
    });
    show();
}

void ReconstructionOutput::makeFormat() {
    m_format = named(new QComboBox, "format");
    std::vector<VolumeFileFormat> formats = volumeFormats();
    std::ranges::sort(formats, {}, &VolumeFileFormat::format);
    for (const VolumeFileFormat& each : formats) {
        const QString extension = extensionOf(each.format);
        const QString label = optionText(each.label);
        m_format->addItem(extension.isEmpty() ? label : tr("%1 (%2)").arg(label, extension),
                          static_cast<int>(each.format));
    }
    m_format->setToolTip(optionText(textsOf(kFormat).help));
    narrow(*m_format);
    connect(m_format, &QComboBox::activated, this, [this] {
        OutputPlace place = outputPlaceOf(m_scan.request().job.output.path);
        place.format = static_cast<VolumeFormat>(m_format->currentData().toInt());
        setPlace(place, textsOf(kFormat));
    });
}

void ReconstructionOutput::makeRange() {
    const FieldOption& texts = rangeRow().option;
    m_isRange = named(new QCheckBox(optionText(texts.label)), "fixedRange", optionText(texts.help));
    NumberField::Style style = numberStyle(rangeRow().shape, texts, rangeRow().kind());
    style.digits = 4;
    m_low = named(new NumberField(style), "rangeLow");
    m_high = named(new NumberField(style), "rangeHigh");
    m_range = new QWidget;
    auto* row = spaced(new QHBoxLayout(m_range), kSpacing / 2);
    row->addWidget(m_low, 1);
    auto* to = new QLabel(tr("to"));
    row->addWidget(to);
    row->addWidget(m_high, 1);
    connect(m_isRange, &QCheckBox::clicked, this, [this, &texts](bool isFixed) {
        const std::vector<double> first = {texts.parts[0].start, texts.parts[1].start};
        m_controls->edit(rangeRow(), isFixed ? FieldValue(first) : FieldValue(), true);
    });
    const auto takeRange = [this](double, bool isFinal) {
        m_controls->edit(rangeRow(), std::vector<double>{m_low->value(), m_high->value()}, isFinal);
    };
    connect(m_low, &NumberField::valueEdited, this, takeRange);
    connect(m_high, &NumberField::valueEdited, this, takeRange);
}

void ReconstructionOutput::makePlace() {
    m_name = named(new TextField, "outputName", optionText(textsOf(kName).help));
    m_folder = named(new TextField, "outputFolder", optionText(textsOf(kFolder).help));
    m_folderRow = new QWidget;
    m_folderRow->setFocusProxy(m_folder);
    auto* row = spaced(new QHBoxLayout(m_folderRow), kSpacing / 2);
    row->addWidget(m_folder, 1);
    auto* browse = named(new QToolButton, "browseOutput", tr("Choose the folder"));
    browse->setIcon(icon("folder"));
    browse->setAccessibleName(tr("Choose the folder"));
    row->addWidget(browse);
    connect(browse, &QToolButton::clicked, this, &ReconstructionOutput::choosePlace);
    connect(m_name, &QLineEdit::editingFinished, this, &ReconstructionOutput::takeName);
    connect(m_name, &QLineEdit::textEdited, this,
            [this](const QString& text) { setProblem(reasonAgainstName(typedName(text).name)); });
    connect(m_folder, &QLineEdit::editingFinished, this, [this] {
        if (!m_folder->isModified()) return;
        OutputPlace place = outputPlaceOf(m_scan.request().job.output.path);
        const QString typed = m_folder->text().trimmed();
        // Relative paths start at the scan's folder.
        const QDir scanFolder(toText(m_scan.request().job.scan.folder));
        if (!typed.isEmpty()) place.folder = QDir::cleanPath(scanFolder.absoluteFilePath(typed));
        setPlace(place, textsOf(kFolder));
    });
}

QWidget* ReconstructionOutput::makeForm() {
    auto* fields = new QWidget;
    auto* form = spaced(new QFormLayout(fields), kSpacing);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(optionText(textsOf(kFormat).label), m_format);
    for (const FileField<JobSpec>* row : rowsOf(jobFields(), "output")) {
        if (row == &rangeRow()) continue;
        QWidget* control = m_controls->add(*form, *row);
        if (auto* box = qobject_cast<QComboBox*>(control)) narrow(*box);
    }
    form->addRow(m_isRange);
    form->addRow(m_range);
    form->addRow(optionText(textsOf(kName).label), m_name);
    form->addRow(optionText(textsOf(kFolder).label), m_folderRow);
    return fields;
}

void ReconstructionOutput::choosePlace() {
    OutputPlace place = outputPlaceOf(m_scan.request().job.output.path);
    const QString folder = QFileDialog::getExistingDirectory(
        this, tr("Choose the folder for the volume"), place.folder);
    if (folder.isEmpty()) return;
    place.folder = folder;
    setPlace(place, textsOf(kFolder));
}

void ReconstructionOutput::takeName() {
    if (!m_name->isModified()) return;
    const TypedName typed = typedName(m_name->text());
    setProblem(reasonAgainstName(typed.name));
    if (!m_problem.isEmpty()) return;
    OutputPlace place = outputPlaceOf(m_scan.request().job.output.path);
    place.name = typed.name;
    if (typed.format) place.format = *typed.format;
    setPlace(place, textsOf(kName));
}

void ReconstructionOutput::setPlace(const OutputPlace& place, const FieldOption& part) {
    m_scan.editJob([&](JobSpec& job) { job.output.path = outputPathOf(place); }, optionEdit(part));
    m_name->setModified(false);
    m_folder->setModified(false);
    show();
}

void ReconstructionOutput::setProblem(const QString& sentence) {
    if (sentence == m_problem) return;
    m_problem = sentence;
    showSentence(*m_sentence, m_problem, SentenceKind::error);
    m_sentence->setToolTip(m_problem);
    m_replace->hide();
    if (m_problem.isEmpty()) check();
    emit problemChanged();
}

void ReconstructionOutput::show() {
    setEnabled(m_scan.hasScan());
    const OutputFormat& output = m_scan.request().job.output;
    OutputPlace place = outputPlaceOf(output.path);
    if (!m_scan.hasScan()) place = {};
    m_format->setCurrentIndex(m_format->findData(static_cast<int>(place.format)));
    const bool isScaled = rangeRow().applies(m_scan.request().job);
    m_isRange->setVisible(isScaled);
    m_isRange->setChecked(output.range.has_value());
    m_range->setVisible(isScaled && output.range.has_value());
    if (output.range) {
        m_low->setValue((*output.range)[0]);
        m_high->setValue((*output.range)[1]);
        const bool isEmpty = (*output.range)[1] <= (*output.range)[0];
        m_high->setProblem(
            isEmpty ? tr("The upper limit must be greater than the lower limit.") : QString(),
            true);
    }
    // Refused text stays, too, until it is mended or undone.
    const bool isTyping = m_name->isModified();
    if (!isTyping && m_name->text() != place.name) m_name->setText(place.name);
    if (!isTyping) setProblem(m_scan.hasScan() ? reasonAgainstName(place.name) : QString());
    if (m_folder->text() != place.folder && !m_folder->isModified())
        m_folder->setText(place.folder);
    check();
}

void ReconstructionOutput::check() {
    if (!m_problem.isEmpty()) return;
    const std::filesystem::path& output = m_scan.request().job.output.path;
    if (!m_scan.hasScan()) {
        take(output, output);
        return;
    }
    m_looking.start([output](const std::stop_token&) { return freeBeside(output); },
                    [this, output](const std::filesystem::path& free) { take(output, free); },
                    [this, output](const QString&) { take(output, output); });
}

void ReconstructionOutput::take(const std::filesystem::path& output,
                                const std::filesystem::path& freePath) {
    m_freeFor = output;
    m_freePath = freePath;
    showExisting();
    emit likelyPathChanged();
}

void ReconstructionOutput::showExisting() {
    if (!m_problem.isEmpty()) return;
    const std::filesystem::path& path = m_freeFor;
    const bool exists = m_freePath != path;
    const OutputPlace place = outputPlaceOf(path);
    const OutputPlace other = outputPlaceOf(m_freePath);
    const QString name = place.name + extensionOf(place.format);
    const QString otherName = other.name + extensionOf(other.format);
    const bool isReplaced = path == m_replaced;
    const auto sentence = [&](const QString& taken, const QString& free) {
        return isReplaced ? tr("%1 exists already and will be replaced.").arg(taken)
                          : tr("%1 exists already; the new volume will be %2.").arg(taken, free);
    };
    const QString act = isReplaced ? tr("Keep it, use %1") : tr("Replace %1");
    const QString shown = shortName(*m_sentence, name);
    const QString otherShown = shortName(*m_sentence, otherName);
    showSentence(*m_sentence, exists ? sentence(shown, otherShown) : QString(),
                 isReplaced ? SentenceKind::warning : SentenceKind::muted);
    m_sentence->setToolTip(exists ? sentence(name, otherName) : QString());
    m_replace->setVisible(exists);
    m_replace->setText(act.arg(isReplaced ? otherShown : shown));
    m_replace->setToolTip(act.arg(isReplaced ? otherName : name));
}

std::filesystem::path ReconstructionOutput::pathToWrite() const {
    const std::filesystem::path& path = m_scan.request().job.output.path;
    return path == m_replaced ? path : freeBeside(path);
}

std::filesystem::path ReconstructionOutput::likelyPath() const {
    const std::filesystem::path& path = m_scan.request().job.output.path;
    return path == m_replaced || path != m_freeFor ? path : m_freePath;
}

void ReconstructionOutput::forgetReplacement() {
    m_replaced.clear();
    check();
}

}  // namespace gantry
