#include "ui/workspace/background/child_process.h"

#include <QCoreApplication>
#include <QProcess>
#include <utility>

namespace gantry {

// Waits also for processes that were stopped just before.
ChildProcess::~ChildProcess() {
    for (QProcess* process : findChildren<QProcess*>()) {
        process->disconnect();
        process->kill();
        process->waitForFinished();
    }
}

QProcess& ChildProcess::start(const QString& program, const QStringList& arguments, Ended ended) {
    stop();
    m_process = new QProcess(this);
    const auto end = [this, process = m_process, ended = std::move(ended)] {
        if (process != m_process) return;  // it has been stopped
        m_process = nullptr;
        process->deleteLater();
        ended(*process);
    };
    // Queued, because the callee may destroy this object.
    connect(m_process, &QProcess::finished, this, end, Qt::QueuedConnection);
    connect(
        m_process, &QProcess::errorOccurred, this,
        [end](QProcess::ProcessError error) {
            // All other errors end in finished().
            if (error == QProcess::FailedToStart) end();
        },
        Qt::QueuedConnection);
    m_process->start(program, arguments);
    return *m_process;
}

void ChildProcess::stop() {
    if (!m_process) return;
    QProcess* process = std::exchange(m_process, nullptr);
    process->disconnect();
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
}

void ChildProcess::write(const std::string& text) {
    if (m_process && m_process->isOpen())
        m_process->write(text.data(), static_cast<qint64>(text.size()));
}

QString spoken(QString line) {
    line = line.trimmed();
    if (const QString prefix = "gantry: "; line.startsWith(prefix)) line.remove(0, prefix.size());
    if (!line.isEmpty()) line[0] = line[0].toUpper();
    return line;
}

QString lastWordsOf(QProcess& process, const QString& otherwise) {
    if (process.error() == QProcess::FailedToStart)
        return QCoreApplication::translate("Process", "The program %1 could not be started.")
            .arg(process.program());
    const QString all = QString::fromUtf8(process.readAllStandardError()).trimmed();
    const QString said = spoken(all.section('\n', -1));
    return said.isEmpty() ? otherwise : said;
}

}  // namespace gantry
