#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <variant>

#include "ui/models/job/job_remedy.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/background/measurement.h"

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace gantry {

class ReconstructionStageBar;
class Workspace;

/// The forecast of the job on this machine, or on the host that was chosen, or why it cannot run.
/// Follows every edit: it is computed at once by what is known of the machine, and what is not
/// known yet of this scan is measured, in another process, while nothing else runs. While a job
/// runs, nothing is measured. Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionForecast : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionForecast(Workspace& workspace, QWidget* parent = nullptr);

    /// Why the request cannot run here; empty: it can, or that is not known yet.
    [[nodiscard]] QString refusal() const;
    /// The forecast of the current request; none while it is not known.
    [[nodiscard]] std::optional<Forecast> forecast() const;
    /// Stops a measurement, which would disturb a job and be disturbed by it.
    void stopMeasuring() { m_measurement.cancel(); }
    /// Computes a refusal again that other programs may have ended by what they did to the disk.
    void checkDisk();

  signals:
    void changed();
    void placeWanted();  ///< another place for the output is to be chosen

  private:
    using Answer = std::variant<JobForecast, Refusal>;

    void buildLabels();
    void requestSoon();
    void followJobs();
    void compute();
    void measure();
    [[nodiscard]] bool isQuiet() const;
    [[nodiscard]] const JobForecast* predicted() const;
    void forgetFailures();
    [[nodiscard]] bool isOfDisk() const;
    void take(Answer answer);
    void takeMeasured(const Measured& measured);
    void showAnswer();
    void showForecast(const JobForecast& forecast);
    void showRefusal(const Refusal& refusal);
    void showHost();
    void showNone(const QString& why);
    void clear(const QString& sentence);
    void apply(const Remedy& remedy);

    Workspace& m_workspace;
    QTimer m_debounce;
    QTimer m_settling;  // a scan that was just opened is being looked at
    QTimer m_pollingDisk;
    Background m_work;
    std::optional<Answer> m_answer;
    Measurement m_measurement;
    Facts m_facts;                         // measured with this source of views
    std::shared_ptr<const void> m_source;  // kept, so that its address is not used again
    bool m_wasMeasured = false;            // for this request
    bool m_isCheckingDisk = false;         // by the computation under way, of the same request
    bool m_isAnyJobActive = false;
    QLabel* m_total = nullptr;
    ReconstructionStageBar* m_bar = nullptr;
    QProgressBar* m_memoryBar = nullptr;
    QLabel* m_engine = nullptr;
    QLabel* m_memory = nullptr;
    QLabel* m_deviceMemory = nullptr;
    QLabel* m_passes = nullptr;
    QLabel* m_disk = nullptr;
    QLabel* m_refusal = nullptr;
    QVBoxLayout* m_remedies = nullptr;
};

}  // namespace gantry
