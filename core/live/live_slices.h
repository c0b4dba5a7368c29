#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/filter/filter_spec.h"
#include "core/live/live_place.h"
#include "core/prep/rectify.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/view_stack.h"

namespace gantry {

/// Planes to be seen, and what they are reconstructed with.
struct SliceRequest {
    ScanGeometry geometry;  ///< any, of the scan's detector size and views
    FilterSpec filter;
    std::vector<Plane> planes;
};

/// Pictures of a request, one a plane, 1/mm, [0][row][column], valid until the next step.
struct SliceStep {
    std::vector<Span3<const float>> pictures;
    Index binning = 1;     ///< pixels along a side that were averaged into one
    bool isFinal = false;  ///< no truer ones follow
};

struct LiveOptions {
    int threads = 1;
    LivePlace place;
    FilterRows rows = FilterRows::own;  ///< on the CPU; a device has an upright detector
    /// Of the CPU or of the device, as the place says; one a level of fineness.
    std::function<std::unique_ptr<PlanePreview>()> makePreview;
    std::function<void(double)> onProgress = [](double) {};  ///< share of the views that is read,
                                                             ///< from any thread
};

/// Slices of a scan that are reconstructed again with every change of its geometry, its filter or
/// their place. Line integrals of all views are held; a new geometry is weighted and filtered anew,
/// so that the last pictures of a request are those of a whole reconstruction. The first ones come
/// sooner: on the CPU they are coarse, from binned views; on a device, which is faster at planes
/// than at filtering, they lie where the new geometry has them while weights and filter are still
/// those of the request before. Not thread-safe.
/// Tests: tests/core/live/live_slices_test.cpp
class LiveSlices {
  public:
    /// What would be held: as finely binned as the memory allows.
    struct Needs {
        Index binning = 1;    ///< of the finest views
        Index hostBytes = 0;  ///< with what corrections need while the views are read; where
                              ///< there is a device only then
        Index deviceBytes = 0;
    };
    /// @throws ResourceError where even coarse views do not fit, with what they take
    [[nodiscard]] static Needs needsOf(const OpenScan& scan, const LivePlace& place, int threads);

    /// Reads all views.
    /// @throws InputError, ResourceError, Cancelled
    LiveSlices(const OpenScan& scan, const LiveOptions& options, const std::stop_token& stop);

    [[nodiscard]] const Needs& needs() const { return m_needs; }

    /// onStep: is called for pictures as they become truer; the last step has as many pixels as
    /// the planes.
    /// @throws InputError  a geometry of another detector size or number of views; an arc too short
    /// @throws Cancelled  `stop` was requested, as by a newer request
    void render(const SliceRequest& request, const std::function<void(const SliceStep&)>& onStep,
                const std::stop_token& stop);

  private:
    // What a view is filtered for: the detector's pixels to its own, and the weights' constants.
    struct FilteredView {
        Rectifier::Homography toView;
        double gain = 0;
    };
    // The views at one binning, and what they are filtered for.
    struct Level {
        ViewStack stack;  // without its pixels where the preview has its own
        std::unique_ptr<PlanePreview> preview;
        ScanGeometry geometry;
        FilterSpec filter;
        bool isFiltered = false;
        std::vector<FilteredView> filtered;  // as they are now; fewer until all are of one width
        Index columns = 0;                   // of the filtered views
    };
    void refuseOwnDetectors(const ScanGeometry& geometry) const;
    void checkFits(const ScanGeometry& geometry) const;
    void addLevel(ViewStack stack, const LiveOptions& options, const std::stop_token& stop);
    [[nodiscard]] static std::vector<ProjectionMatrix> matricesAsFiltered(
        const Level& level, const ScanGeometry& binned, const AlignedDetector& aligned);
    static void filterAgain(Level& level, const std::shared_ptr<const Acquisition>& acquisition,
                            const SliceRequest& request, const std::stop_token& stop);
    void renderLevel(Level& level, const SliceRequest& request,
                     const std::function<void(const SliceStep&)>& onStep,
                     const std::stop_token& stop);

    ScanGeometry m_scan;  // as it was opened
    bool m_isOnDevice;
    FilterRows m_rows;
    Needs m_needs;
    std::vector<Level> m_levels;  // the coarsest first
};

/// The same part of the world in fewer pixels.
[[nodiscard]] Plane coarser(const Plane& plane, Index binning);

}  // namespace gantry
