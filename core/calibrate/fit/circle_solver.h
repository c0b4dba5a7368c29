#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/calibrate/balls/ball_length.h"
#include "core/calibrate/fit/circle_bundle.h"

namespace gantry {

inline constexpr std::size_t kMinBalls = 3;  ///< that a fit needs
/// The circle's number that can only be determined with a known length.
inline constexpr std::size_t kScaleNumber = kCircleNumbers - 1;

/// A circle fitted to balls' sightings, step by step.
/// Tests: tests/core/calibrate/calibrate_test.cpp
class CircleSolver {
  public:
    /// declared: a circular scan, from which the search begins
    /// sightings: of balls numbered below `balls`, at least kMinBalls
    CircleSolver(ScanGeometry declared, std::vector<Sighting> sightings, std::size_t balls,
                 std::stop_token stop);

    /// Fits the circle in the declared direction of rotation, or in the opposite one where that
    /// explains the views far better. Balls that do not turn with the others are left out; numbers
    /// that the views do not determine stay as declared.
    void fit();
    /// Uses the known places of balls in their phantom, which also set the scale. Call it after
    /// fit().
    /// @throws InputError where those found do not lie as these do
    void useKnownBalls(const std::vector<Vec3>& knownMm, const std::string& name);
    /// Scales source, axis and balls together until the measured length is the known one. Call it
    /// after fit().
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
    /// The standard deviation with which the views determine a number, also of one that was held
    /// because it is too large; infinite where they do not determine it. It includes how far the
    /// number moves when others are held, whose declared values may be wrong.
    [[nodiscard]] double uncertaintyOf(std::size_t number) const;
    /// The same of a value that follows from the circle.
    [[nodiscard]] double uncertaintyOf(
        const std::function<double(const ScanGeometry&)>& value) const;

  private:
    [[nodiscard]] CircleBundle bundleFrom(const ScanGeometry& geometry) const;
    void removeOtherBalls();  ///< those that do not turn with the rest
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
