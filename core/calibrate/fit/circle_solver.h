#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/calibrate/balls/ball_length.h"
#include "core/calibrate/fit/circle_bundle.h"

namespace gantry {

inline constexpr std::size_t kFewestBalls = 3;  ///< that can be followed
/// The circle's number that can only be determined with a known length.
inline constexpr std::size_t kScaleNumber = kCircleNumbers - 1;

/// A circle fitted to balls' sightings, step by step.
/// Tests: tests/core/calibrate/calibrate_test.cpp
class CircleSolver {
  public:
    /// declared: a circular scan, from which the search begins
    /// sightings: of balls numbered below `balls`, at least kFewestBalls
    CircleSolver(ScanGeometry declared, std::vector<Sighting> sightings, std::size_t balls,
                 std::stop_token stop);

    /// The declared way round, or the other one where that explains the views far better. Balls
    /// that do not turn with the others are left out; numbers that the views do not tell stay as
    /// declared.
    void fit();
    /// After fit(): balls whose places in their phantom are known, which set the scale too.
    /// @throws InputError where those found do not lie as these do
    void useKnownBalls(const std::vector<Vec3>& knownMm, const std::string& name);
    /// After fit(): all in front of the detector grows together, until the length is as known.
    /// @throws InputError as measureLength()
    void useLength(const KnownLength& length);

    /// In the order in which balls are counted.
    [[nodiscard]] const CircleBundle& bundle() const { return m_bundle; }
    [[nodiscard]] const BundleFit& result() const { return m_fit; }
    [[nodiscard]] const std::vector<Sighting>& sightings() const { return m_sightings; }
    /// [ball], in the list; empty where there is none
    [[nodiscard]] const std::vector<std::size_t>& known() const { return m_known; }
    [[nodiscard]] const ScanGeometry& declared() const { return m_declared; }
    [[nodiscard]] bool turnsOtherWay() const { return m_turnsOtherWay; }
    [[nodiscard]] bool hasScale() const { return m_hasScale; }
    /// To what standard deviation the views tell a number, also one that is kept as that is too
    /// much; infinite: they do not tell it. Beside its scatter it has how far the number moved when
    /// others were kept, as these may be otherwise than declared.
    [[nodiscard]] double uncertaintyOf(std::size_t number) const;
    /// The same of a value that follows from the circle.
    [[nodiscard]] double uncertaintyOf(
        const std::function<double(const ScanGeometry&)>& value) const;

  private:
    [[nodiscard]] CircleBundle bundleFrom(const ScanGeometry& geometry) const;
    void leaveOutStrangers();
    void keepUndetermined();
    void putInOrder();
    [[nodiscard]] bool isDetermined(std::size_t number) const;
    [[nodiscard]] double movedByKept(const std::function<double(const ScanGeometry&)>& value) const;
    void arrange(const std::vector<std::size_t>& order);
    void refit() { m_fit = fitBundle(m_bundle, m_sightings, m_stop); }
    [[nodiscard]] std::size_t balls() const { return m_bundle.balls.centersMm.size(); }

    ScanGeometry m_declared;
    ScanGeometry m_start;  // the same, turning the way that the views show
    std::vector<Sighting> m_sightings;
    std::size_t m_tracks;
    std::stop_token m_stop;
    std::vector<std::size_t> m_known;
    CircleBundle m_bundle;
    BundleFit m_fit;
    CircleBundle m_whole;  // the same before any number was kept
    std::array<double, kCircleNumbers> m_keptDeviations{};
    bool m_turnsOtherWay = false;
    bool m_hasScale = false;
};

}  // namespace gantry
