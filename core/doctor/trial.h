#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/align/plane_integrals.h"
#include "core/doctor/reading.h"
#include "core/engine/plane_preview.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Parts into which the views are dealt out, one after the other, to see how much a score depends
/// on which views there are.
inline constexpr std::size_t kViewParts = 8;

/// What is measured of slices and views with a reading.
struct TrialScores {
    double sharpness = 0;  ///< Σ |∇f|², see core/align/quick_slices.h; the larger the better
    double negative = 0;   ///< share of the slices' absolute values that is below 0
    /// What views say differently of the same rays, measured from both ends, and of the same planes
    /// through two sources: mean square of the differences over that of the values. 0 where they
    /// agree, about 2 where they have nothing to do with each other; a NaN where there are too few.
    double rays = 0;
    double planes = 0;
};

/// A small picture, 1/mm, [row][column]: row 0 at the low end of y or z.
struct TrialPicture {
    Index columns = 0;
    Index rows = 0;
    std::vector<float> pixels;
};

/// Slices that were reconstructed with a reading.
struct Trial {
    std::vector<TrialPicture> slices;  ///< three across the axis, upwards, then one along it
    TrialScores all;
    /// Without the views of one part each.
    std::array<TrialScores, kViewParts> without;
};

/// Reconstructs a few slices of a scan with one geometry after the other, from few and coarse views
/// that it reads once.
/// Tests: tests/core/doctor/diagnosis_test.cpp
class Trials {
  public:
    /// scan: opened with any geometry that is usable; `pixels`, along a slice's sides, follow it
    /// preview: outlives this object
    /// @throws InputError, ResourceError, Cancelled
    Trials(const OpenScan& scan, PlanePreview& preview, int threads,
           const std::function<void(double)>& onProgress, const std::stop_token& stop);

    /// geometry: usable, of the scan's views
    /// @throws ResourceError, Cancelled
    [[nodiscard]] Trial run(const ReadGeometry& read, const std::stop_token& stop);

    /// Pixels of the detector along u that are one of the views'.
    [[nodiscard]] Index binning() const { return m_all.binning[0]; }
    /// The memory that it all takes. Of the views no more is kept than 240 of 128 × 256 pixels,
    /// however large they are and however many; one a thread is whole while it is read, 256 MB of
    /// them together, or a single larger one.
    [[nodiscard]] static Index bytesNeeded(const OpenScan& scan, int threads);

  private:
    [[nodiscard]] std::array<Plane, 4> planesFor(const ScanGeometry& binned) const;
    void compareViews(Trial& trial, const ScanGeometry& geometry,
                      const std::stop_token& stop) const;
    void score(Trial& trial, const std::vector<std::vector<float>>& parts,
               const std::array<Plane, 4>& planes) const;

    PlanePreview& m_preview;
    int m_threads;
    ViewStack m_all;
    std::vector<ViewStack> m_parts;
    VolumeGrid m_grid;      // of the slices; its height is each geometry's own
    double m_heightMm = 0;  // of what the views see, as far as it is whole
    ViewStack m_few;        // views enough for planes through two sources each
    std::optional<PlaneIntegrals> m_planes;
};

}  // namespace gantry
