#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/align/find_alignment.h"
#include "core/calibrate/calibrate.h"
#include "core/doctor/diagnosis.h"
#include "core/scan/open_scan.h"
#include "ui/workspace/background/background.h"

namespace gantry {

/// How a search is asked to stop, and whom it tells the current step and the part of the whole that
/// is done.
struct SearchControl {
    std::stop_token stop;
    std::function<void(const std::string& what, double fraction)> tell;
};

// The searches, each for a background thread, on the CPU, in some seconds.

/// Finds the centre of rotation, roll and tilt of a scan.
[[nodiscard]] Alignment searchAlignment(const OpenScan& scan, CentreFinder finder,
                                        const SearchControl& control);

/// What the user knows about a phantom with balls.
struct BallQuestion {
    std::filesystem::path balls;        ///< a file of their positions; empty: none
    std::optional<KnownLength> length;  ///< used if there is no file
    bool posePerView = false;
};

/// Calibrates a scan by its balls.
[[nodiscard]] BallCalibration searchBalls(const OpenScan& scan, const BallQuestion& question,
                                          const SearchControl& control);

/// Tries other conventions on a scan. open: its images; null: they are opened here, for example
/// because the declared geometry is unusable
[[nodiscard]] Diagnosis searchConventions(const ScanFile& scan, const OpenScan* open,
                                          const SearchControl& control);

/// Runs one search at a time off the GUI thread: a new one replaces the current one, which is asked
/// to stop and reports nothing more. GUI thread only, as are all answers; nothing blocks.
/// Tests: tests/ui/workspace/scan_search_test.cpp, tests/ui/panels/alignment_window_test.cpp,
/// tests/ui/panels/calibration_window_test.cpp, tests/ui/panels/convention_window_test.cpp
class ScanSearch : public QObject {
    Q_OBJECT

  public:
    explicit ScanSearch(QObject* parent = nullptr);

    /// search: (const SearchControl&) -> T in the background. done: (T) or failed: (QString)
    /// follows, unless it is cancelled.
    template <class Search, class Done>
    void start(Search search, Done done, Background::Failed failed) {
        m_work.start(
            [search = std::move(search), tell = begin()](const std::stop_token& stop) {
                return search(SearchControl{stop, tell});
            },
            [this, done = std::move(done)](auto found) {
                m_reporting.stop();
                done(std::move(found));
            },
            [this, failed = std::move(failed)](const QString& sentence) {
                m_reporting.stop();
                failed(sentence);
            });
    }
    void cancel();
    [[nodiscard]] bool isBusy() const { return m_work.isBusy(); }

  signals:
    /// About ten times a second, however often the search tells it.
    void progressed(const QString& what, double fraction);

  private:
    // Where the search stores its progress; outlives this object.
    struct Newest;
    [[nodiscard]] std::function<void(const std::string&, double)> begin();
    void report();

    std::shared_ptr<Newest> m_newest;
    QTimer m_reporting{this};
    Background m_work;
};

}  // namespace gantry
