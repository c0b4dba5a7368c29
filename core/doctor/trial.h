#pragma once

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/align/finding.h"
#include "core/align/plane_integrals.h"
#include "core/doctor/interpretation.h"
#include "core/engine/plane_preview.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Parts to which the views are assigned in turn, to estimate how much a score depends on the
/// choice of views.
inline constexpr std::size_t kViewParts = 8;

/// Measures of slices and views in one interpretation.
struct TrialScores {
    double sharpness = 0;  ///< Σ |∇f|², see core/align/quick_slices.h; the larger the better
    double negative = 0;   ///< part of the slices' absolute values that is below 0
    /// Contradictions of views about the same rays, measured from both ends, and about the same
    /// planes through two sources: mean square of the differences over that of the values. 0 if
    /// they agree, about 2 if they are unrelated; NaN if there are too few.
    double rays = 0;
    double planes = 0;
};

/// A small picture, 1/mm, [row][column]: row 0 at the low end of y or z.
struct TrialPicture {
    Index columns = 0;
    Index rows = 0;
    std::vector<float> pixels;
};

/// Slices that were reconstructed in one interpretation.
struct Trial {
    std::vector<TrialPicture> slices;  ///< three across the axis, upwards, then one along it
    TrialScores all;
    /// Scores without the views of one part each.
    std::array<TrialScores, kViewParts> without;
    /// Whether any ray is seen by two views: on half a turn of parallel rays none is.
    bool isAnySeenTwice = true;
    /// Nor is any, and the views cut the object off at the left or right: what lies beyond was seen
    /// from one side alone or not at all, and slices are sharp wherever the axis is put.
    bool isOneSided = false;
};

/// Whether the centre of rotation is clearly elsewhere, by Trials::centre().
[[nodiscard]] bool isCentreOff(const Finding& centre, double tolerancePx);

/// Reconstructs a few slices of a scan with one geometry after the other, from few and coarse views
/// that it reads once.
/// Tests: tests/core/doctor/diagnosis_test.cpp
class Trials {
  public:
    /// scan: opened with any usable geometry, which determines `pixels` along a slice's sides
    /// preview: outlives this object
    /// @throws InputError, ResourceError where the memory is not free, Cancelled
    Trials(const OpenScan& scan, PlanePreview& preview, int threads,
           const std::function<void(double)>& onProgress, const std::stop_token& stop);

    /// geometry: usable, of the scan's views
    /// @throws ResourceError, Cancelled
    [[nodiscard]] Trial run(const ReadGeometry& read, const std::stop_token& stop);

    /// How far the centre of rotation is from where the geometry has it, from rays measured from
    /// both ends, searched over a tenth of the columns to either side. If the scan is mirrored, the
    /// sign is that of the mirrored world.
    /// @throws Cancelled
    [[nodiscard]] Finding centre(const ReadGeometry& read, const std::stop_token& stop) const;

    /// Number of detector pixels along u that are averaged to one of the views'.
    [[nodiscard]] Index binning() const { return m_all.binning[0]; }
    /// The finest shift of the centre of rotation that such views tell.
    [[nodiscard]] double centreTolerancePx() const;
    /// Memory of all of it. At most 240 views of 128 × 256 pixels are kept, whatever their size and
    /// number; while reading, each thread has one whole view, at most 256 MB in all or a single
    /// larger one.
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
    double m_meanSquare = 0;  // of its pixels
    bool m_isCutOff = false;  // the object reaches the first or the last column
    std::vector<ViewStack> m_parts;
    VolumeGrid m_grid;      // of the slices; its height depends on the geometry
    double m_heightMm = 0;  // height that all views see
    ViewStack m_few;        // views for planes through two sources each
    std::optional<PlaneIntegrals> m_planes;
};

}  // namespace gantry
