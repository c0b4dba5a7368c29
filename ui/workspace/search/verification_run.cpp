#include "ui/workspace/search/verification_run.h"

#include <QProcess>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/job/job_fields.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

// The settings that scan.json does not contain.
QStringList settingsOf(const JobSpec& job) {
    QStringList words;
    for (const std::string& word : methodWords(job))
        words << QString::fromStdString(word);
    return words;
}

}  // namespace

VerificationRun::VerificationRun(QString program, QObject* parent)
    : QObject(parent), m_program(std::move(program)) {}

void VerificationRun::start(const JobSpec& job, const VerificationQuestion& question) {
    m_child.stop();
    m_errors.clear();
    m_lastWords.clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_real = question.real;
    try {
        // The file keeps its own name, which the report shows.
        ScanFile scan = job.scan;
        scan.volume = job.volume;
        writeFileAtomically(file("scan.json"), toJson(scan));
    } catch (const Error& error) {
        // Called later, like all other callbacks.
        QMetaObject::invokeMethod(
            this,
            [this, sentence = QString::fromStdString(messageOf(error))] { emit failed(sentence); },
            Qt::QueuedConnection);
        return;
    }
    QProcess& process =
        m_child.start(m_program, wordsFor(job, question), [this](QProcess& ended) { end(ended); });
    connect(&process, &QProcess::readyReadStandardError, this,
            [this, &process] { readProgress(process); });
}

QStringList VerificationRun::wordsFor(const JobSpec& job,
                                      const VerificationQuestion& question) const {
    QStringList words = {"verify", "--report", toText(report()), "--json"};
    if (question.real) {
        if (question.real->isOfScan) words += toText(file("scan.json"));
        words += {"--volume", question.real->volume};
        if (question.real->centres.isEmpty()) return words;
        return words + QStringList{"--piece", "spheres", "--spheres", question.real->centres};
    }
    words += {toText(file("scan.json")), "--name",    toText(job.scan.path),   "--phantom",
              question.phantom,          "--volumes", toText(file("volumes")), "--progress-lines"};
    if (!question.shapes.isEmpty()) words += {"--shapes", question.shapes};
    if (!question.perturbation.isEmpty()) words += {"--perturb", question.perturbation};
    return words + settingsOf(job);
}

void VerificationRun::readProgress(QProcess& process) {
    m_errors += process.readAllStandardError();
    for (qsizetype at = m_errors.indexOf('\n'); at >= 0; at = m_errors.indexOf('\n')) {
        const QByteArray line = m_errors.left(at);
        m_errors.remove(0, at + 1);
        if (line.startsWith("progress "))
            emit progressed(line.mid(int(qstrlen("progress "))).toDouble());
        else
            m_lastWords = spoken(QString::fromUtf8(line));
    }
}

void VerificationRun::end(QProcess& process) {
    // A missed limit also ends the process with an error, after all its results.
    const QByteArray found = process.readAllStandardOutput();
    if (found.isEmpty() || process.exitStatus() != QProcess::NormalExit) {
        emit failed(m_lastWords.isEmpty() ? lastWordsOf(process, tr("The program that verifies "
                                                                    "ended unexpectedly."))
                                          : m_lastWords);
        return;
    }
    try {
        emit finished(parseVerification(found.toStdString()));
    } catch (const Error& error) {
        emit failed(QString::fromStdString(messageOf(error)));
    }
}

std::filesystem::path VerificationRun::file(const std::string& name) const {
    return toPath(m_folder->path()) / name;
}

std::filesystem::path VerificationRun::truthOf(const std::string& piece) const {
    if (m_real) return {};
    return file("volumes") / (piece + "-truth.mha");
}

std::filesystem::path VerificationRun::resultOf(const std::string& piece) const {
    if (m_real) return toPath(m_real->volume);
    return file("volumes") / (piece + ".mha");
}

}  // namespace gantry
