#include "ui/panels/jobs/jobs_windows.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/job/job_file.h"
#include "core/remote/job/remote_status.h"
#include "ui/models/job/job_request.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QDialogButtonBox* closingButtons(QDialog& dialog) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setIcon({});
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::close);
    return buttons;
}

}  // namespace

// What a job's log has gained since the last reading.
struct JobsLogWindow::News {
    JobStatus status;
    QStringList logs;
    bool restarted = false;
};

JobsLogWindow::JobsLogWindow(const JobEntry& job, QWidget* parent)
    : QDialog(parent),
      m_folder(job.folder),
      m_tail(std::make_shared<EventTail>(toPath(job.folder) / "events.jsonl")),
      m_state(named(new QLabel, "logState")),
      m_text(named(new QPlainTextEdit, "logText")) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Log of %1").arg(job.name));
    constexpr QSize kSize(640, 360);
    resize(kSize);
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setReadOnly(true);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setPlaceholderText(tr("Nothing was logged."));
    QDialogButtonBox* buttons = closingButtons(*this);
    QPushButton* copy =
        named(buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole), "copyLog");
    connect(copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_state->text() + '\n' + m_text->toPlainText());
    });
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    column->addWidget(m_state);
    column->addWidget(m_text, 1);
    column->addWidget(buttons);
    constexpr int kEveryMs = 1000;
    m_timer.setInterval(kEveryMs);
    connect(&m_timer, &QTimer::timeout, this, &JobsLogWindow::read);
    m_timer.start();
    read();
}

void JobsLogWindow::read() {
    if (m_reading.isBusy()) return;
    m_reading.start(
        [folder = toPath(m_folder), tail = m_tail](const std::stop_token& stop) {
            News news;
            bool more = true;
            while (more) {
                const EventNews part = tail->read(stop);
                if (part.restarted) {
                    news.logs.clear();
                    news.restarted = true;
                }
                for (const std::string& line : part.logs)
                    news.logs << QString::fromStdString(line);
                more = part.more;
            }
            news.status = readAnyJobStatus(folder);
            return news;
        },
        [this](const News& news) { show(news); },
        [this](const QString& sentence) {
            showSentence(*m_state, sentence, SentenceKind::error);
            m_timer.stop();
        });
}

void JobsLogWindow::show(const News& news) {
    if (news.restarted) m_text->clear();
    for (const QString& line : news.logs)
        m_text->appendPlainText(line);
    JobEntry job;
    job.status = news.status;
    const QString message = QString::fromStdString(news.status.message);
    const bool hasFailed = news.status.state == JobState::failed;
    showSentence(*m_state, message.isEmpty() ? stateText(job) : stateText(job) + ": " + message,
                 hasFailed ? SentenceKind::error : SentenceKind::plain);
}

JobsRequestWindow::JobsRequestWindow(const JobEntry& job, QWidget* parent)
    : QDialog(parent),
      m_problem(named(new QLabel, "requestProblem")),
      m_values(named(new QTreeWidget, "requestValues")) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Request of %1").arg(job.name));
    constexpr QSize kSize(560, 620);
    resize(kSize);
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_values->setHeaderLabels({tr("Field"), tr("Value")});
    m_values->setRootIsDecorated(false);
    m_values->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_values->setSelectionMode(QAbstractItemView::NoSelection);
    QDialogButtonBox* buttons = closingButtons(*this);
    m_copy =
        named(buttons->addButton(tr("Copy as JSON"), QDialogButtonBox::ActionRole), "copyRequest");
    m_copy->setEnabled(false);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_json); });
    auto* column = spaced(new QVBoxLayout(this), kSpacing, 2 * kSpacing);
    column->addWidget(m_problem);
    column->addWidget(m_values, 1);
    column->addWidget(buttons);
    m_reading.start(
        [folder = toPath(job.folder)](const std::stop_token&) { return readJobRequest(folder); },
        [this](const JobSpec& spec) { show(spec); },
        [this](const QString& sentence) {
            showSentence(*m_problem, sentence, SentenceKind::error);
        });
}

void JobsRequestWindow::show(const JobSpec& spec) {
    m_json = QString::fromStdString(toJson(spec));
    m_copy->setEnabled(true);
    QTreeWidgetItem* group = nullptr;
    for (const RequestLine& line : requestLines(spec)) {
        if (!group || group->text(0) != line.group) {
            group = new QTreeWidgetItem(m_values, {line.group});
            QFont bold = font();
            bold.setWeight(QFont::DemiBold);
            group->setFont(0, bold);
            group->setFirstColumnSpanned(true);
        }
        auto* item = new QTreeWidgetItem(group, {line.label, line.value});
        item->setToolTip(1, line.value);
    }
    m_values->expandAll();
}

}  // namespace gantry
