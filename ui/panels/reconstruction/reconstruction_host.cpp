#include "ui/panels/reconstruction/reconstruction_host.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/remote/action/host_wishes.h"
#include "ui/models/job/forecast_text.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/form_row.h"
#include "ui/panels/shared/host_browser.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/fields/text_field.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/jobs/host_plan.h"

namespace gantry {

/// The script that a host will run, to be read and edited. Deletes itself when closed.
/// Tests: tests/ui/panels/reconstruction_host_test.cpp
class ScriptWindow : public QDialog {
  public:
    explicit ScriptWindow(HostPlan& plan, QWidget* parent = nullptr);

  private:
    void take();
    void showMade();

    HostPlan& m_plan;
    QPlainTextEdit* m_text = nullptr;
    QPushButton* m_made = nullptr;
};

ScriptWindow::ScriptWindow(HostPlan& plan, QWidget* parent) : QDialog(parent), m_plan(plan) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName("scriptWindow");
    setWindowTitle(tr("Script for %1").arg(plan.chosen()));
    constexpr QSize kSize(720, 560);
    resize(kSize);
    auto* note =
        remark(tr("ID stands for the job's number. What is edited here is sent as it is."), this);
    m_text = named(new QPlainTextEdit, "scriptText");
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    const QString edited = QString::fromStdString(plan.wishes().script);
    m_text->setPlainText(edited.isEmpty() ? plan.madeScript() : edited);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    for (QAbstractButton* button : buttons->buttons())
        button->setIcon({});
    buttons->button(QDialogButtonBox::Ok)->setObjectName("scriptOk");
    m_made = named(buttons->addButton(tr("Back to the made one"), QDialogButtonBox::ResetRole),
                   "madeScript");
    m_made->setEnabled(!edited.isEmpty());
    connect(m_made, &QPushButton::clicked, this, &ScriptWindow::showMade);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] { m_made->setEnabled(true); });
    connect(buttons, &QDialogButtonBox::accepted, this, &ScriptWindow::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    column->addWidget(note);
    column->addWidget(m_text, 1);
    column->addWidget(buttons);
}

void ScriptWindow::showMade() {
    m_text->setPlainText(m_plan.madeScript());
    m_made->setEnabled(false);
}

void ScriptWindow::take() {
    HostWishes wishes = m_plan.wishes();
    QString text = m_text->toPlainText();
    if (!text.endsWith('\n')) text += '\n';
    wishes.script = text == m_plan.madeScript() ? "" : text.toStdString();
    m_plan.setWishes(wishes);
    close();
}

namespace {

const FileField<HostWishes>& wish(std::string_view path) {
    return fieldOf(hostWishFields(), path);
}

constexpr int kByItself = -1;  // the data's way that is none, before those of DataWay
constexpr int kMinutes[] = {10, 30, 60, 120, 240, 480, 1440, 2880};

void choose(QComboBox& box, int data) {
    const int index = box.findData(data);
    if (index >= 0) box.setCurrentIndex(index);
}

}  // namespace

ReconstructionHost::ReconstructionHost(HostPlan& plan, QWidget* parent)
    : QWidget(parent), m_plan(plan) {
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    m_form = new QFormLayout;
    column->addLayout(m_form);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setSpacing(kSpacing);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    makeResources();
    makeData();
    makeBring();
    makeButtons();
    connect(&plan, &HostPlan::changed, this, &ReconstructionHost::show);
    connect(&plan, &HostPlan::knownChanged, this, [this] {
        m_filledFor.clear();
        show();
    });
    show();
}

QComboBox* ReconstructionHost::makeBox(const char* name, std::string_view path,
                                       void (*take)(HostWishes&, int)) {
    const FieldOption& texts = wish(path).option;
    auto* box = named(new QComboBox, name, optionText(texts.help));
    // The longest entry must not widen the panel.
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    constexpr int kLetters = 12;
    box->setMinimumContentsLength(kLetters);
    connect(box, &QComboBox::activated, this, [this, box, take] {
        HostWishes wishes = m_plan.wishes();
        take(wishes, box->currentData().toInt());
        m_plan.setWishes(wishes);
    });
    m_form->addRow(optionText(texts.label), box);
    return box;
}

void ReconstructionHost::makeResources() {
    m_nodes =
        makeBox("hostNodes", "nodes", [](HostWishes& wishes, int nodes) { wishes.nodes = nodes; });
    m_limit = makeBox("hostLimit", "minutes",
                      [](HostWishes& wishes, int minutes) { wishes.minutes = minutes; });
}

void ReconstructionHost::makeData() {
    m_data = makeBox("hostData", "data", [](HostWishes& wishes, int way) {
        wishes.way = way == kByItself ? std::nullopt : std::optional(static_cast<DataWay>(way));
    });
    for (int way = kByItself; const FieldWord& word : kDataWords)
        m_data->addItem(optionText(word.label), way++);
    m_placeRow = new QWidget;
    auto* row = spaced(new QHBoxLayout(m_placeRow), kSpacing / 2);
    const FieldOption& texts = wish("placeThere").option;
    m_place = named(new TextField, "hostPlace", optionText(texts.help));
    row->addWidget(m_place, 1);
    auto* browsing = named(new QToolButton, "browseHost", tr("Browse the host's folders"));
    browsing->setIcon(icon("folder"));
    browsing->setAccessibleName(tr("Browse the host's folders"));
    row->addWidget(browsing);
    m_form->addRow(optionText(texts.label), m_placeRow);
    connect(browsing, &QToolButton::clicked, this, &ReconstructionHost::browse);
    connect(m_place, &QLineEdit::editingFinished, this, [this] {
        if (!m_place->isModified()) return;
        m_place->setModified(false);
        HostWishes wishes = m_plan.wishes();
        wishes.placeThere = m_place->text().trimmed().toStdString();
        m_plan.setWishes(wishes);
    });
}

void ReconstructionHost::makeBring() {
    m_bring = makeBox("hostBring", "bring", [](HostWishes& wishes, int bring) {
        wishes.bring = static_cast<BringBack>(bring);
    });
    for (int bring = 0; const FieldWord& word : kBringWords)
        m_bring->addItem(optionText(word.label), bring++);
}

void ReconstructionHost::makeButtons() {
    m_buttons = new QWidget;
    auto* row = spaced(new QHBoxLayout(m_buttons), kSpacing);
    m_script = named(new QPushButton(tr("Show the script…")), "showScript",
                     tr("The batch script that the host will run, to be read and edited."));
    row->addWidget(m_script);
    auto* hosts = named(new QPushButton(tr("Hosts…")), "showHosts",
                        tr("Adds, edits and checks machines and clusters that jobs can run on."));
    row->addWidget(hosts);
    row->addStretch(1);
    connect(hosts, &QPushButton::clicked, this, &ReconstructionHost::hostsWanted);
    connect(m_script, &QPushButton::clicked, this,
            [this] { (new ScriptWindow(m_plan, this))->open(); });
    m_form->addRow(m_buttons);
    m_note = named(wrapped(new QLabel), "scriptNote");
    layout()->addWidget(m_note);  // not a row: see showRow()
}

// What the host gives.
void ReconstructionHost::fill() {
    const Host& host = *m_plan.host();
    if (m_filledFor == m_plan.chosen()) return;
    m_filledFor = m_plan.chosen();
    m_nodes->clear();
    m_nodes->addItem(tr("Automatic"), 0);
    for (int nodes = 1; nodes < host.maxNodes; nodes *= 2)
        m_nodes->addItem(QString::number(nodes), nodes);
    m_nodes->addItem(QString::number(host.maxNodes), host.maxNodes);
    m_limit->clear();
    m_limit->addItem(tr("Automatic"), 0);
    for (const int minutes : kMinutes)
        if (host.timeMinutes == 0 || minutes < host.timeMinutes)
            m_limit->addItem(timeLimitText(minutes), minutes);
    if (host.timeMinutes > 0) m_limit->addItem(timeLimitText(host.timeMinutes), host.timeMinutes);
}

void ReconstructionHost::show() {
    const Host* host = m_plan.host();
    setVisible(host != nullptr);
    if (!host) return;
    fill();
    const HostWishes& wishes = m_plan.wishes();
    const bool isSlurm = host->hasQueue();
    showRow(*m_form, *m_nodes, isSlurm);
    showRow(*m_form, *m_limit, isSlurm);
    showRow(*m_form, *m_data, !host->isHere());
    choose(*m_nodes, wishes.nodes);
    choose(*m_limit, wishes.minutes);
    choose(*m_data, wishes.way ? static_cast<int>(*wishes.way) : kByItself);
    const bool isMapped = m_plan.order() && m_plan.order()->way == DataWay::mapped;
    m_data->setItemText(
        0, isMapped && !wishes.way ? tr("Automatic: host sees them") : tr("Automatic: send"));
    showRow(*m_form, *m_placeRow, wishes.way == DataWay::there && !host->isHere());
    if (!m_place->isModified()) m_place->setText(QString::fromStdString(wishes.placeThere));
    choose(*m_bring, static_cast<int>(wishes.bring));
    m_script->setEnabled(!m_plan.madeScript().isEmpty());
    showSentence(
        *m_note,
        wishes.script.empty()
            ? QString()
            : tr("The script was edited by hand: its nodes and time count, not the fields above."),
        SentenceKind::warning);
}

void ReconstructionHost::browse() {
    const Host* host = m_plan.host();
    if (!host) return;
    auto* browser =
        new HostBrowser({*host}, QString::fromStdString(m_plan.wishes().placeThere), this);
    connect(browser, &HostBrowser::chosen, this, [this](const QString& scan) {
        HostWishes wishes = m_plan.wishes();
        wishes.placeThere = scan.toStdString();
        m_plan.setWishes(wishes);
    });
    browser->open();
}

}  // namespace gantry
