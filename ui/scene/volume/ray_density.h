#pragma once

namespace gantry {

/// How coarsely the card draws a moving picture to keep up: first in longer steps, and along fewer
/// rays if that is not enough. It changes seldom, because VTK then makes its tables again. Tests:
/// tests/ui/scene/ray_density_test.cpp
class RayDensity {
  public:
    /// Reports that a picture at this coarseness took `ms`; later ones should take at most
    /// kPictureMs.
    void took(double ms);
    /// Reports that a fine picture took `fineMs`: a good estimate at once if the coarseness is far
    /// off.
    void restedFor(double fineMs);
    [[nodiscard]] double stepVoxels() const;
    [[nodiscard]] double pixelsPerRay() const;
    /// Whether it draws as finely as a still picture.
    [[nodiscard]] bool isFine() const { return m_coarseness <= 1; }

    static constexpr double kPictureMs = 20;
    static constexpr double kFinestStep = 0.5;
    static constexpr double kCoarsestStep = 2;
    static constexpr double kMaxPixelsPerRay = 6;

  private:
    void aimAt(double coarseness);

    double m_coarseness = 1;  // how many times fewer samples
    int m_slow = 0;           // consecutive pictures that took too long
};

}  // namespace gantry
