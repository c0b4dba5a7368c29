#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/filter/filter_spec.h"
#include "core/live/live_place.h"
#include "core/prep/rectify.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// The planes to show, and the geometry and filter with which to reconstruct them.
struct SliceRequest {
    ScanGeometry geometry;  ///< any that has the scan's detector size and number of views
    FilterSpec filter;
    std::vector<Plane> planes;
    FilterRows rows = FilterRows::own;  ///< only for the CPU: devices filter along upright rows
};

/// One picture for each plane of a request: attenuation in 1/mm, [0][row][column]. The pictures are
/// valid until the next step.
struct SliceStep {
    std::vector<Span3<const float>> pictures;
    Index binning = 1;     ///< detector pixels, along each side, that were averaged into one
    bool isFinal = false;  ///< whether these are the most exact pictures
};

struct LiveOptions {
    int threads = 1;
    LivePlace place;
    /// Makes a renderer on the CPU or on the device of `place`. Called for each level of binning.
    std::function<std::unique_ptr<PlanePreview>()> makePreview;
    /// Called from any thread with the fraction of the views that has been read.
    std::function<void(double)> onProgress = [](double) {};
};

/// Reconstructs slices of a scan anew whenever its geometry, its filter or the planes change. It
/// holds the line integrals of all views. For a new geometry or filter it weights and filters them
/// again, so that the final pictures of a request equal those of a full reconstruction. Quicker
/// pictures come before: on the CPU, coarse ones from binned views; on a device, which reconstructs
/// planes faster than it filters, pictures with the new geometry from views that are still weighted
/// and filtered for the previous request. Not thread-safe. Tests:
/// tests/core/live/live_slices_test.cpp
class LiveSlices {
  public:
    /// The memory that live slices need at the finest binning that fits into it.
    struct Needs {
        Index binning = 1;  ///< of the finest level
        /// The peak, including corrections while the views are read. With a device, the host's
        /// memory is needed only during that time.
        Index hostBytes = 0;
        Index deviceBytes = 0;
    };
    /// @throws ResourceError stating the size if even coarse views do not fit
    [[nodiscard]] static Needs needsOf(const OpenScan& scan, const LivePlace& place, int threads);

    /// Reads all views.
    /// @throws InputError, ResourceError, Cancelled
    LiveSlices(const OpenScan& scan, const LiveOptions& options, const std::stop_token& stop);

    [[nodiscard]] const Needs& needs() const { return m_needs; }

    /// Reconstructs the planes of a request. onStep: called several times, each time with more
    /// exact pictures; the final ones have as many pixels as the planes.
    /// @throws InputError if the geometry has another detector size or number of views than the
    /// scan, or too short an arc; ResourceError if a device cannot weight its views
    /// @throws Cancelled if `stop` was requested, for example by a newer request
    void render(const SliceRequest& request, const std::function<void(const SliceStep&)>& onStep,
                const std::stop_token& stop);

  private:
    // The properties of the geometry for which a view was filtered.
    struct FilteredView {
        Rectifier::Homography toView;  // from the detector's pixels to those of the filtered view
        double gain = 0;               // the factor of FDK's weights
    };
    // The views at one binning, and the geometry and filter for which they were last filtered.
    struct Level {
        ViewStack stack;  // its pixels are released if the preview has a copy
        std::unique_ptr<PlanePreview> preview;
        ScanGeometry geometry;
        FilterSpec filter;
        FilterRows rows = FilterRows::own;
        bool isFiltered = false;
        // [s]; shorter than the number of views until all are filtered at the current width
        std::vector<FilteredView> filtered;
        Index columns = 0;  // the width of the filtered views
    };
    [[nodiscard]] FilterRows rowsOf(const SliceRequest& request) const;
    void refuseOwnDetectors(const ScanGeometry& geometry) const;
    void checkFits(const ScanGeometry& geometry) const;
    void addLevel(ViewStack stack, const LiveOptions& options, const std::stop_token& stop);
    [[nodiscard]] static std::vector<ProjectionMatrix> matricesAsFiltered(
        const Level& level, const ScanGeometry& binned, const AlignedDetector& aligned);
    static void filterAgain(Level& level, const std::shared_ptr<const Acquisition>& acquisition,
                            const SliceRequest& request, FilterRows rows,
                            const std::stop_token& stop);
    void renderLevel(Level& level, const SliceRequest& request,
                     const std::function<void(const SliceStep&)>& onStep,
                     const std::stop_token& stop);

    ScanGeometry m_scan;  // as opened
    RowExtension m_extension;
    bool m_isOnDevice;
    Needs m_needs;
    std::vector<Level> m_levels;  // the coarsest first
};

/// The same plane section, with fewer pixels by the factor `binning` along each side.
[[nodiscard]] Plane coarser(const Plane& plane, Index binning);

}  // namespace gantry
