#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/plan/job_spec.h"
#include "core/verify/verification.h"
#include "ui/workspace/background/child_process.h"

namespace gantry {

/// A volume of a test piece that was scanned.
struct RealPiece {
    QString volume;         ///< a file, or a folder of OME-Zarr or of slices
    QString centres;        ///< a list of its spheres' true centres; empty: it is a cylinder
    bool isOfScan = false;  ///< the job's geometry is the one that it was reconstructed with
};

/// The settings of a verification.
struct VerificationQuestion {
    QString phantom = QStringLiteral("all");  ///< as for `gantry verify --phantom`
    QString shapes = {};                      ///< a file of the user instead; empty: none
    QString perturbation = {};                ///< as for --perturb; empty: none
    std::optional<RealPiece> real = {};       ///< measured instead; nothing is simulated
};

/// Verifies a scan's geometry and settings in a separate process (`gantry verify`), so that its
/// figures equal those of the command line. One at a time: a new one replaces the current one, and
/// the volumes of the one before. GUI thread only; nothing blocks. Tests:
/// tests/ui/panels/verify_panel_test.cpp, tests/ui/panels/verify_real_piece_test.cpp
class VerificationRun : public QObject {
    Q_OBJECT

  public:
    explicit VerificationRun(QString program, QObject* parent = nullptr);

    /// finished() or failed() follows, unless it is cancelled.
    void start(const JobSpec& job, const VerificationQuestion& question);
    void cancel() { m_child.stop(); }
    [[nodiscard]] bool isBusy() const { return m_child.current() != nullptr; }

    /// Results of the last finished run, until another one starts: a piece's volumes and the page.
    /// A real piece has no truth: an empty path.
    [[nodiscard]] std::filesystem::path truthOf(const std::string& piece) const;
    [[nodiscard]] std::filesystem::path resultOf(const std::string& piece) const;
    [[nodiscard]] std::filesystem::path report() const { return file("report.html"); }

  signals:
    void progressed(double fraction);
    void finished(const gantry::Verification& found);
    void failed(const QString& sentence);

  private:
    [[nodiscard]] QStringList wordsFor(const JobSpec& job,
                                       const VerificationQuestion& question) const;
    void readProgress(QProcess& process);
    void end(QProcess& process);
    [[nodiscard]] std::filesystem::path file(const std::string& name) const;

    QString m_program;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::optional<RealPiece> m_real;
    QByteArray m_errors;  // incomplete line of the process' output
    QString m_lastWords;  // the last line, except progress
    ChildProcess m_child;
};

}  // namespace gantry
