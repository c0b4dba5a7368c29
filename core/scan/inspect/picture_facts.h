#pragma once

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/span3.h"
#include "core/filter/row_extension.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// One of a view's four edges: of a strip along it, with line integrals.
struct EdgeStrip {
    double level = 0;   ///< mean
    double slope = 0;   ///< mean of its inner third less that of its outer third
    double spread = 0;  ///< standard deviation of the strip's means along the edge, in 16 parts
    /// By how much line integrals rise inwards from the left or right edge over the outermost fifth
    /// of the columns, taken over as many columns as `slope` is; and over all of that fifth, by how
    /// much more than at the rate of the columns between it and the middle.
    double rise = 0;
    double bow = 0;
    /// Whether it is even and yet part of an object, which goes on far beyond the detector.
    bool isWithinObject = false;
};

/// A line integral that no detector measures: 2 of 10⁹ photons pass.
inline constexpr double kOpaque = 20;

/// What checkPictures() knows about a view.
struct PictureFacts {
    Index view = 0;  ///< number among the scan's
    double angleDeg = 0;
    EdgeStrip left, right, bottom, top;
    std::vector<RowEdge> leftRows, rightRows;  ///< of rows that are spread over the view
    double darkest = 0;      ///< the line integral that one pixel in a hundred exceeds
    double lightest = 0;     ///< the one that 99 in a hundred exceed
    double opaqueShare = 0;  ///< of pixels with line integrals above kOpaque
    /// Means over a quarter of the rows each, [u], and over a quarter of the columns each, [v].
    std::array<std::vector<double>, 4> bandsU, bandsV;
    std::vector<double> alongU;      ///< [u], means over the rows
    std::vector<double> alongV;      ///< [v], means over the columns
    std::vector<double> middleRows;  ///< [u], means over the rows about the mid-plane
    /// Pixels that are spread over the view: by how much each differs from those around it, with
    /// the noise of a single pixel, and the mean of all of them. NaN: one is no number.
    std::vector<float> grain, grainLevels;
};

/// The views of a scan that are looked at: about 50, the first two and the last among them.
[[nodiscard]] std::vector<Index> viewsToLookAt(Index views);

/// The darkest place of the object, a line integral, without outliers.
[[nodiscard]] double contrastOf(const std::vector<PictureFacts>& facts);

/// Whether the object covers the strip: it is darker than air may be and not even, along the edge
/// or towards it, or it is within an object that is much wider. contrast: contrastOf()
[[nodiscard]] bool isObject(const EdgeStrip& strip, double contrast);

/// In how many views the object passes the detector's left and right edges. The nearer edge of an
/// offset detector does not count: it cuts the object, and the other side of the turn shows it.
struct CutViews {
    Index left = 0;
    Index right = 0;
    Index either = 0;
    Index both = 0;
};
[[nodiscard]] CutViews cutViews(const RedundancyPlan& plan, const std::vector<PictureFacts>& facts);

/// A number for the bits of these pixels.
[[nodiscard]] std::uint64_t hashOf(Span3<const float> view);

/// What pictureFacts() finds out: all, or only the left and right edges and what is darkest, which
/// takes a third of the time.
enum class FactsOf { wholeViews, edges };

/// Facts of these views of the source.
/// @throws InputError, ResourceError, Cancelled
[[nodiscard]] std::vector<PictureFacts> pictureFacts(const OpenScan& scan,
                                                     const std::vector<Index>& chosen, FactsOf what,
                                                     int threads, const std::stop_token& stop);

}  // namespace gantry
