#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/filter/filter_spec.h"
#include "core/scan/open_scan.h"
#include "core/scan/stack/filter_stack.h"
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
    bool isFinal = false;  ///< no finer ones follow
};

struct LiveOptions {
    int threads = 1;
    Index memoryBytes = 0;                                   ///< the most that the views may take
    std::function<void(double)> onProgress = [](double) {};  ///< share of the views that is read,
                                                             ///< from any thread
};

/// Slices of a scan that are reconstructed again with every change of its geometry, its filter or
/// their place: coarse ones at once, from binned views, then finer ones, last as a job would make
/// them. Line integrals of all views are held, at several binnings; a new geometry is weighted and
/// filtered anew, so that pictures are those of a whole reconstruction. One instance per preview;
/// not thread-safe.
/// Tests: tests/core/live/live_slices_test.cpp
class LiveSlices {
  public:
    /// What would be held: as finely binned as the memory allows.
    struct Needs {
        Index binning = 1;  ///< of the finest views
        Index bytes = 0;
    };
    /// @throws ResourceError where even coarse views do not fit, with what they take
    [[nodiscard]] static Needs needsOf(const OpenScan& scan, Index memoryBytes);

    /// Reads all views. preview: outlives this object
    /// @throws InputError, ResourceError, Cancelled
    LiveSlices(const OpenScan& scan, PlanePreview& preview, const LiveOptions& options,
               const std::stop_token& stop);

    [[nodiscard]] const Needs& needs() const { return m_needs; }

    /// onStep: is called for pictures as they become finer; the last step has as many pixels as
    /// the planes.
    /// @throws InputError  a geometry of another detector size or number of views; an arc too short
    /// @throws Cancelled  `stop` was requested, as by a newer request
    void render(const SliceRequest& request, const std::function<void(const SliceStep&)>& onStep,
                const std::stop_token& stop);

  private:
    // The views at one binning, and filtered for the last request.
    struct Level {
        ViewStack stack;
        FilteredStack filtered;
        ScanGeometry geometry;  // that they are filtered for
        FilterSpec filter;
        bool isFiltered = false;
    };
    void checkFits(const ScanGeometry& geometry) const;
    void makeReady(Level& level, const SliceRequest& request, const std::stop_token& stop) const;

    PlanePreview& m_preview;
    ScanGeometry m_scan;  // as it was opened
    int m_threads;
    Needs m_needs;
    std::vector<Level> m_levels;  // the coarsest first
};

/// The same part of the world in fewer pixels.
[[nodiscard]] Plane coarser(const Plane& plane, Index binning);

}  // namespace gantry
