#include "ui/workspace/background/measurement.h"

#include <QProcess>
#include <utility>

#include "core/base/error.h"

namespace gantry {

Measurement::Measurement(QString program, QObject* parent)
    : QObject(parent), m_program(std::move(program)) {}

void Measurement::start(const std::string& request, Done done, Failed failed) {
    QProcess& process = m_child.start(m_program, {"measure"},
                                      [this, done = std::move(done), failed = std::move(failed)](
                                          QProcess& ended) { finish(ended, done, failed); });
    m_child.write(request);
    process.closeWriteChannel();
}

void Measurement::finish(QProcess& process, const Done& done, const Failed& failed) {
    QString sentence = whyFailed(process);
    Measured measured;
    if (sentence.isEmpty()) {
        try {
            measured = parseMeasured(process.readAllStandardOutput().toStdString());
        } catch (const Error& error) {
            sentence = QString::fromStdString(messageOf(error));
        }
    }
    if (sentence.isEmpty())
        done(measured);
    else
        failed(sentence);
}

// The program's own sentence, if there is one; empty: it did not fail.
QString Measurement::whyFailed(QProcess& process) const {
    const bool isStarted = process.error() != QProcess::FailedToStart;
    if (isStarted && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return {};
    return lastWordsOf(process, tr("The program that measures this machine ended unexpectedly."));
}

}  // namespace gantry
