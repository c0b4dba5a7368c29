#pragma once

#include <array>
#include <compare>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/simulate/simulate_scan.h"
#include "core/simulate/synthetic_detector.h"

namespace gantry {

/// The name of the truth about a scan's faults, in the scan's folder.
inline constexpr const char* kTruthFileName = "truth.json";

/// Faults of a simulated scan at their places, which its seed draws.
struct DrawnFaults {
    struct Stripe {
        Index column;
        double gain;
    };
    struct StuckPixel {
        Index row;
        Index column;
        Index counts;
    };
    struct Zinger {
        Index view;
        Index row;
        Index column;
        friend bool operator<(const Zinger& a, const Zinger& b) {
            if (a.view != b.view) return a.view < b.view;
            if (a.row != b.row) return a.row < b.row;
            return a.column < b.column;
        }
    };

    std::vector<double> flux;                     ///< [view] share of the flat field's beam
    std::vector<std::array<double, 2>> shiftsPx;  ///< [view] u and v; empty: none
    std::vector<Stripe> stripes;                  ///< by column
    std::vector<Index> moduleColumns;             ///< at which a module begins, but for the first
    std::vector<Index> moduleRows;
    std::vector<double> moduleGains;  ///< [module row][module column]; empty: none
    IndexRange module;                ///< columns; empty: none
    Index stepView = 0;               ///< the first view with the module's other gain
    double moduleGain = 1;
    double flatDrift = 0;
    std::vector<StuckPixel> stuckPixels;  ///< by row
    std::vector<Zinger> zingers;          ///< in order
    Index zingerCounts = 0;
};

/// panel: of counts; no zinger hits its dead pixels or a stuck one. The same for a seed.
/// Tests: tests/core/simulate/faults_test.cpp
[[nodiscard]] DrawnFaults drawFaults(const SimulationSpec& spec, const SyntheticDetector& panel);

/// [u] By what the detector's columns multiply the open beam's signal in a view, as against the
/// flat frames from before the scan.
[[nodiscard]] std::vector<double> gainsOfView(const DrawnFaults& faults, Index columns, Index view);
/// The same of the flat frames from after the scan.
[[nodiscard]] std::vector<double> gainsAfterScan(const DrawnFaults& faults, Index columns);
/// The gain of the module that a pixel is in, in all views.
[[nodiscard]] double moduleGainAt(const DrawnFaults& faults, Index row, Index column);

/// The content of truth.json: what is wrong with the scan, where, and how much; empty if nothing
/// is. Views, rows and columns are counted from 0, row 0 at the bottom.
/// Tests: tests/core/simulate/faults_test.cpp
[[nodiscard]] std::string truthOf(const SimulationSpec& spec, const DrawnFaults& faults);

/// What a detector with lag reads of views that come one after the other: a view's signal less the
/// share that comes later, and of each view before it (1 − e^(−1/n))·e^(−(k−1)/n) of that share,
/// where it was k views ago and n is LagFault::views. Before the first view the detector has seen
/// that one for long. One thread uses it. Tests: tests/core/simulate/faults_test.cpp
class LaggedSignal {
  public:
    explicit LaggedSignal(const LagFault& lag) : m_lag(lag) {}

    /// lineIntegrals: what the next view brings; becomes what is read. It has the same size each
    /// time.
    void read(std::span<float> lineIntegrals, int threads);

  private:
    LagFault m_lag;
    std::vector<double> m_later;  ///< of earlier views, what the next one still gets, a pixel each
};

}  // namespace gantry
