#include "ui/workspace/verification_run.h"

#include <QProcess>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

QString engineWord(Engine engine) {
    switch (engine) {
        case Engine::cpu:
            return QStringLiteral("cpu");
        case Engine::gpu:
            return QStringLiteral("gpu");
        case Engine::automatic:
            break;
    }
    return QStringLiteral("auto");
}

// The settings that scan.json does not contain.
QStringList settingsOf(const JobSpec& job) {
    const std::string_view window = name(job.filter.window);
    QStringList words = {"--window",  QString::fromUtf8(window.data(), qsizetype(window.size())),
                         "--cutoff",  QString::number(job.filter.cutoff, 'g', 17),
                         "--threads", QString::number(job.threads),
                         "--batch",   QString::number(job.batchViews),
                         "--engine",  engineWord(job.engine)};
    if (job.memoryBytes > 0) words += {"--memory", QString::number(job.memoryBytes)};
    if (job.fast) words += {"--precision", "fast"};
    if (job.engine == Engine::cpu)
        return words + QStringList{"--kernel", QString::fromStdString(job.cpuKernel)};
    QStringList devices;
    for (const int device : job.devices)
        devices += QString::number(device);
    if (!devices.isEmpty()) words += {"--devices", devices.join(',')};
    if (job.gpuKernel != kAnyKernel) words += {"--kernel", QString::fromStdString(job.gpuKernel)};
    if (job.deviceMemoryBytes > 0)
        words += {"--device-memory", QString::number(job.deviceMemoryBytes)};
    if (job.filterOn != FilterOn::automatic)
        words += {"--filter-on", job.filterOn == FilterOn::cpu ? "cpu" : "gpu"};
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

void VerificationRun::cancel() {
    m_child.stop();
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

std::filesystem::path VerificationRun::report() const {
    return file("report.html");
}

}  // namespace gantry
