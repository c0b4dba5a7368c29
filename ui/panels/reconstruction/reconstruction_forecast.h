#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <variant>

#include "ui/models/job/job_remedy.h"
#include "ui/workspace/background.h"

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace gantry {

class ReconstructionStageBar;
class Workspace;

/// The forecast of the job on this machine, or why it cannot run. Follows every edit: memory and
/// disk are computed at once, rates are measured once for a scan while nothing else runs. While a
/// job runs, the kernels' last speeds are used, and none is tried.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionForecast : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionForecast(Workspace& workspace, QWidget* parent = nullptr);
    ~ReconstructionForecast() override;

    /// Why the request cannot run here; empty: it can, or that is not known yet.
    [[nodiscard]] QString refusal() const;
    /// Of the current request; none while it is not known.
    [[nodiscard]] std::optional<Forecast> forecast() const;
    /// Stops a measurement, which would disturb a job and be disturbed by it.
    void stopMeasuring();

  signals:
    void changed();
    void placeWanted();  ///< another place for the output is to be chosen

  private:
    // What rates were measured for.
    struct RatesKey {
        const void* source = nullptr;
        Engine engine = Engine::automatic;
        CpuKernel kernel = CpuKernel::columns;
        std::string gpuKernel;
        bool fast = false;
        FilterOn filterOn = FilterOn::automatic;
        std::vector<int> devices;
        int threads = 0;
        std::filesystem::path folder;
        friend bool operator==(const RatesKey&, const RatesKey&) = default;
    };
    using Answer = std::variant<JobForecast, Refusal>;

    void buildLabels();
    void requestSoon();
    void followJobs();
    void compute();
    void measure();
    [[nodiscard]] bool isQuiet() const;
    [[nodiscard]] RatesKey keyNow() const;
    void take(Answer answer, bool isMeasured);
    void showAnswer();
    void showForecast(const JobForecast& forecast);
    void showRefusal(const Refusal& refusal);
    void clear(const QString& sentence);
    void apply(const Remedy& remedy);

    Workspace& m_workspace;
    QTimer m_debounce;
    QTimer m_settling;  // a scan that was just opened is being looked at
    Background m_work;
    std::optional<Answer> m_answer;
    bool m_isMeasured = false;
    bool m_isMeasuring = false;
    bool m_isAnyJobActive = false;
    std::optional<MachineRates> m_rates;
    RatesKey m_ratesKey;
    std::vector<DevicePlan>
        m_kernels;  // of the last plan with these rates whose kernels were tried
    std::shared_ptr<const void> m_ratesOwner;  // keeps the key's address from being used again
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
