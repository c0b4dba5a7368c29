#pragma once

namespace gantry {

/// How coarsely the card draws a picture that moves, so that it keeps up: in longer steps first,
/// and along fewer lines of sight where that is not enough. It changes seldom, as VTK then makes
/// its tables again.
/// Tests: tests/ui/scene/card_pace_test.cpp
class CardPace {
  public:
    /// A picture of this pace took so long; the next ones are to take kPictureMs at most.
    void took(double ms);
    /// A fine picture took so long: a good guess at once, where this pace is far from it.
    void restedFor(double fineMs);
    [[nodiscard]] double stepVoxels() const;
    [[nodiscard]] double pixelsPerRay() const;
    /// As a picture that rests.
    [[nodiscard]] bool isFine() const { return m_coarseness <= 1; }

    static constexpr double kPictureMs = 20;
    static constexpr double kFinestStep = 0.5;
    static constexpr double kCoarsestStep = 2;
    static constexpr double kMostPixelsPerRay = 6;

  private:
    void aimAt(double coarseness);

    double m_coarseness = 1;  // how many times fewer samples
    int m_slow = 0;           // pictures one after another that took too long
};

}  // namespace gantry
