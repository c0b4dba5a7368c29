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

/// Planes to be shown, and the geometry and filter to reconstruct them with.
struct SliceRequest {
    ScanGeometry geometry;  ///< any that has the scan's detector size and number of views
    FilterSpec filter;
    std::vector<Plane> planes;
};

/// Pictures of a request, one a plane, 1/mm, [0][row][column], valid until the next step.
struct SliceStep {
    std::vector<Span3<const float>> pictures;
    Index binning = 1;     ///< pixels along a side that were averaged into one
    bool isFinal = false;  ///< no more exact pictures follow
};

struct LiveOptions {
    int threads = 1;
    LivePlace place;
    FilterRows rows = FilterRows::own;  ///< for the CPU; devices filter upright rows
    /// Makes a renderer on the CPU or the device of the place; one for each level of binning.
    std::function<std::unique_ptr<PlanePreview>()> makePreview;
    std::function<void(double)> onProgress = [](double) {};  ///< gets the part of the views that
                                                             ///< has been read, from any thread
};

/// Reconstructs slices of a scan again with every change of its geometry, its filter or their
/// position. It holds the line integrals of all views and weights and filters them again for a new
/// geometry, so that the last pictures of a request equal those of a whole reconstruction. The
/// first ones come sooner: on the CPU they are coarse, from binned views; on a device, which is
/// faster at planes than at filtering, they have the new geometry while weights and filter are
/// still those of the request before. Not thread-safe. Tests: tests/core/live/live_slices_test.cpp
class LiveSlices {
  public:
    /// The memory that would be needed, with binning as fine as the memory allows.
    struct Needs {
        Index binning = 1;    ///< of the finest views
        Index hostBytes = 0;  ///< including what corrections need while views are read; with a
                              ///< device only during that time
        Index deviceBytes = 0;
    };
    /// @throws ResourceError stating the size if even coarse views do not fit
    [[nodiscard]] static Needs needsOf(const OpenScan& scan, const LivePlace& place, int threads);

    /// Reads all views.
    /// @throws InputError, ResourceError, Cancelled
    LiveSlices(const OpenScan& scan, const LiveOptions& options, const std::stop_token& stop);

    [[nodiscard]] const Needs& needs() const { return m_needs; }

    /// onStep: called for pictures as they become more exact; the last step has as many pixels as
    /// the planes.
    /// @throws InputError  a geometry of another detector size or number of views; an arc too short
    /// @throws Cancelled  `stop` was requested, for example by a newer request
    void render(const SliceRequest& request, const std::function<void(const SliceStep&)>& onStep,
                const std::stop_token& stop);

  private:
    // The geometry that a view was filtered for: the map from the detector's pixels to the view's,
    // and the weights' constants.
    struct FilteredView {
        Rectifier::Homography toView;
        double gain = 0;
    };
    // The views at one binning, and the geometry they were filtered for.
    struct Level {
        ViewStack stack;  // without its pixels if the preview keeps its own
        std::unique_ptr<PlanePreview> preview;
        ScanGeometry geometry;
        FilterSpec filter;
        bool isFiltered = false;
        // their current state; incomplete until all have the same width
        std::vector<FilteredView> filtered;
        Index columns = 0;  // of the filtered views
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

    ScanGeometry m_scan;  // as opened
    bool m_isOnDevice;
    FilterRows m_rows;
    Needs m_needs;
    std::vector<Level> m_levels;  // the coarsest first
};

/// The same part of the world in fewer pixels.
[[nodiscard]] Plane coarser(const Plane& plane, Index binning);

}  // namespace gantry
