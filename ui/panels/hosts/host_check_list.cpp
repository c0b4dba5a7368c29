#include "ui/panels/hosts/host_check_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMetaObject>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString findingText(bool isGood, const QString& what, const QString& found) {
    return (isGood ? HostCheckList::tr("Yes – %1: %2") : HostCheckList::tr("No – %1: %2"))
        .arg(what, found);
}

}  // namespace

HostCheckList::HostCheckList(QWidget* parent) : QWidget(parent) {
    m_button = named(new QPushButton(tr("Check")), "checkHost",
                     tr("Reaches the host and looks whether everything is there that jobs need."));
    m_button->setAutoDefault(false);
    m_busy = new QProgressBar;
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedHeight(kSpacing - 2);
    m_busy->hide();
    m_state = named(wrapped(new QLabel), "checkState");
    auto* row = spaced(new QHBoxLayout, kSpacing);
    row->addWidget(m_button);
    row->addWidget(m_state, 1);
    auto* lines = new QWidget;
    m_lines = spaced(new QVBoxLayout(lines), kSpacing / 2);
    auto* column = spaced(new QVBoxLayout(this), kSpacing);
    column->addLayout(row);
    column->addWidget(m_busy);
    column->addWidget(lines);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_busy->isVisible())
            cancel();
        else
            check();
    });
    setHost({});
}

HostCheckList::~HostCheckList() = default;

void HostCheckList::setHost(const std::optional<Host>& host) {
    const bool isOther = !host || !m_host || host->name != m_host->name;
    m_host = host;
    m_button->setEnabled(host.has_value() || m_busy->isVisible());
    if (!isOther) return;
    if (m_busy->isVisible()) cancel();
    clear();
    showSentence(*m_state, {});
}

void HostCheckList::check() {
    if (!m_host) return;
    clear();
    m_isGood = true;
    const int number = ++m_number;
    const QString name = QString::fromStdString(m_host->name);
    showSentence(*m_state, tr("Asking %1…").arg(name), SentenceKind::muted);
    m_busy->show();
    m_button->setText(tr("Cancel"));
    m_asking.add("check", [this, host = *m_host, number](const std::stop_token& stop) {
        const auto answer = [this, number](auto act) {
            QMetaObject::invokeMethod(this, [this, number, act] {
                if (number == m_number) act();
            });
        };
        try {
            const auto told = [&](const HostFinding& finding) {
                answer([this, finding] { add(finding); });
            };
            (void)checkHost(host, told, stop);
            answer([this] {
                end(m_isGood ? tr("Everything is there: jobs can run.")
                             : tr("Jobs cannot run there yet."),
                    m_isGood);
            });
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            answer([this, sentence = QString::fromStdString(messageOf(error))] {
                end(sentence, false);
            });
        }
    });
}

void HostCheckList::cancel() {
    ++m_number;
    m_asking.cancel("check");
    end(tr("The check was cancelled."), true);
    showSentence(*m_state, tr("The check was cancelled."), SentenceKind::muted);
}

void HostCheckList::end(const QString& sentence, bool isGood) {
    m_busy->hide();
    m_button->setText(tr("Check"));
    showSentence(*m_state, sentence, isGood ? SentenceKind::good : SentenceKind::error);
    if (m_lines->count() == 0) emit answered();
}

void HostCheckList::add(const HostFinding& finding) {
    m_isGood = m_isGood && (finding.isGood || finding.isRemark());
    auto* line = named(copyable(new QLabel), "finding");
    QString text = findingText(finding.isGood, QString::fromStdString(finding.what),
                               QString::fromStdString(finding.found));
    if (!finding.advice.empty()) text += '\n' + QString::fromStdString(finding.advice);
    m_lines->addWidget(line);
    showSentence(*line, text,
                 finding.isGood       ? SentenceKind::plain
                 : finding.isRemark() ? SentenceKind::warning
                                      : SentenceKind::error);
    if (m_lines->count() == 1) emit answered();  // later ones must not move what is being read
}

void HostCheckList::clear() {
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace gantry
