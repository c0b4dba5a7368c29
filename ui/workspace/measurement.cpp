#include "ui/workspace/measurement.h"

#include <QProcess>
#include <utility>

#include "core/base/error.h"

namespace gantry {

Measurement::Measurement(QString program, QObject* parent)
    : QObject(parent), m_program(std::move(program)) {}

// Also those that were cancelled a moment ago.
Measurement::~Measurement() {
    for (QProcess* process : findChildren<QProcess*>()) {
        process->disconnect();
        process->kill();
        process->waitForFinished();
    }
}

void Measurement::start(const std::string& request, Done done, Failed failed) {
    cancel();
    m_process = new QProcess(this);
    const auto end = [this, process = m_process, done = std::move(done),
                      failed = std::move(failed)] { finish(process, done, failed); };
    // Queued, as whoever is called may destroy this object.
    connect(m_process, &QProcess::finished, this, end, Qt::QueuedConnection);
    connect(
        m_process, &QProcess::errorOccurred, this,
        [end](QProcess::ProcessError error) {
            // All other errors end in finished().
            if (error == QProcess::FailedToStart) end();
        },
        Qt::QueuedConnection);
    m_process->start(m_program, {"measure"});
    if (!m_process->isOpen()) return;  // it could not be started, which is on its way
    m_process->write(request.data(), static_cast<qint64>(request.size()));
    m_process->closeWriteChannel();
}

void Measurement::cancel() {
    if (!m_process) return;
    QProcess* process = std::exchange(m_process, nullptr);
    process->disconnect(this);
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
        return;
    }
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
}

void Measurement::finish(QProcess* process, const Done& done, const Failed& failed) {
    // It may have been cancelled since.
    if (process != m_process) return;
    m_process = nullptr;
    process->deleteLater();
    QString sentence = whyFailed(*process);
    Measured measured;
    if (sentence.isEmpty()) {
        try {
            measured = parseMeasured(process->readAllStandardOutput().toStdString());
        } catch (const Error& error) {
            sentence = QString::fromStdString(messageOf(error));
        }
    }
    if (sentence.isEmpty())
        done(measured);
    else
        failed(sentence);
}

// The program's own sentence, if it has said one; empty: it did not fail.
QString Measurement::whyFailed(QProcess& process) const {
    if (process.error() == QProcess::FailedToStart)
        return tr("The program %1 could not be started.").arg(m_program);
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0) return {};
    QString said = QString::fromUtf8(process.readAllStandardError()).trimmed();
    said = said.section('\n', -1);
    if (const QString prefix = "gantry: "; said.startsWith(prefix)) said.remove(0, prefix.size());
    if (said.isEmpty()) return tr("The program that measures this machine ended unexpectedly.");
    said[0] = said[0].toUpper();
    return said;
}

}  // namespace gantry
