#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/field_word.h"
#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/base/types.h"
#include "core/prep/prep_lanes.h"

namespace gantry {

/// Removes stripes along the views from sinograms of one size: in each scale of a wavelet transform
/// (Daubechies' 10 coefficients, mirrored ends), the band that is smooth along the views and
/// changes along u loses its low frequencies along the views, by 1 − exp(−k²/(2·dampCycles²)) at k
/// cycles a scan. Münch, Trtik, Marone, Stampanoni 2009, doi 10.1364/OE.17.008567, equations 4
/// to 6. Because all of it is linear, only the removed part is computed. One sinogram at a time.
/// Tests: tests/core/prep/rings_test.cpp
class StripeWavelets {
  public:
    /// levels: scales; a small sinogram has only those longer than the wavelet
    StripeWavelets(Index views, Index columns, Index levels, double dampCycles);

    /// views: [s][v][u]; row: the one to remove stripes from, in place
    void apply(Span3<float> views, Index row);

    [[nodiscard]] static Index workspaceBytes(Index views, Index columns, Index levels);

  private:
    /// Rows of floats, each `stride` after the one before.
    struct Rows {
        float* data;
        Index count;
        Index length;
        Index stride;
        [[nodiscard]] float* row(Index i) const { return data + i * stride; }
    };
    struct Level {
        Index views;
        Index columns;
        HostBuffer<float> smooth;   ///< [s][u], low in both directions
        HostBuffer<float> stripes;  ///< [s][u], low along the views and high along u
    };

    void analyse(const Rows& from, Level& to);
    void keepSlow(Level& level);
    /// Transforms stripes and smoother scales back to the rows of the scale below, and subtracts
    /// the result from these or replaces them.
    void synthesise(const Level& from, bool hasSmooth, const Rows& to, bool isSubtracted);

    double m_dampCycles;
    std::vector<Level> m_levels;
    HostBuffer<float> m_lines;  ///< [s][u], half as many views as the largest scale
    HostBuffer<float> m_line;   ///< scratch of a few rows
};

/// The method of ring removal. A pixel that measures too much or too little in all views makes a
/// ring in the slice and a stripe in the sinogram, along the views.
enum class RingMethod {
    none,
    sorting,       ///< Vo, Atwood, Drakopoulos 2018, algorithm 3, doi 10.1364/OE.26.028396
    wavelets,      ///< Münch, Trtik, Marone, Stampanoni 2009, doi 10.1364/OE.17.008567
    smoothedMean,  ///< after Boin, Haibel 2006, doi 10.1364/OE.14.012071
};
inline constexpr FieldWord kRingMethods[] = {
    {"none", "Keep", "The views stay as they are."},
    {"sorting", "Sorting",
     "A median along the row over values of equal rank (Vo et al. 2018). Sharp edges stay."},
    {"wavelets", "Wavelets",
     "What changes slowly over the views goes from every scale of a wavelet transform (Münch et "
     "al. 2009). Takes weak rings of many widths."},
    {"smoothed-mean", "Smoothed mean",
     "The mean of all views less its smooth part goes (after Boin and Haibel 2006). Fastest; edges "
     "that are concentric with the axis fade."}};

struct RingSpec {
    RingMethod method = RingMethod::none;
    /// Width, odd: of the median for sorting, and of the moving average along u for smoothedMean.
    /// Stripes of up to half of it are removed.
    Index widthPx = 21;
    Index levels = 4;       ///< wavelets: scales; stripes of up to about 2^levels pixels are
                            ///< removed
    double dampCycles = 2;  ///< wavelets: changes slower than this many cycles a scan count as
                            ///< stripe (the standard deviation of the paper's Gaussian)

    friend bool operator==(const RingSpec&, const RingSpec&) = default;
};

[[nodiscard]] std::string_view name(RingMethod method);  ///< "none", "sorting", ...

/// Removes stripes from sinograms of one size.
/// sorting: sorts each column's values, takes a median along u over those of equal rank, and
/// returns
///   each to the view it came from. Exact for a stripe that is the same in all views, and good for
///   one that grows with the signal; sharp edges stay.
/// wavelets: StripeWavelets.
/// smoothedMean: subtracts from all views their mean less its moving average along u. The paper
///   divides counts; a wrong gain adds to line integrals.
/// Beyond the detector's ends the row continues as its mirror image. A sinogram gives the same bits
/// in every run. One sinogram at a time; several threads each need a remover of their own.
/// Tests: tests/core/prep/rings_test.cpp
class RingRemover {
  public:
    /// spec: without problems. @throws ResourceError
    RingRemover(const RingSpec& spec, Index views, Index columns)
        : RingRemover(*supportedPrepLanes().back(), spec, views, columns) {}
    RingRemover(const PrepLanes& lanes, const RingSpec& spec, Index views, Index columns);

    /// views: finite line integrals, [s][v][u] with the remover's numbers of views and columns;
    /// row: the one to remove stripes from, in place
    void apply(Span3<float> views, Index row);

    /// Memory that a remover of that size takes, bytes.
    [[nodiscard]] static Index workspaceBytes(const RingSpec& spec, Index views, Index columns);

  private:
    void removeBySorting(Span3<float> views, Index row);
    void returnToViews(Span3<float> views, Index row);
    void removeSmoothedMean(Span3<float> views, Index row);

    const PrepLanes* m_lanes;
    RingSpec m_spec;
    Index m_views;
    Index m_columns;
    HostBuffer<float> m_sorted;        ///< [u][rank]; ranks padded to registers
    HostBuffer<std::int32_t> m_order;  ///< [u][rank]: the view that a rank's value came from
    HostBuffer<double> m_keys;         ///< of the columns that are sorted together
    HostBuffer<float> m_scratch;
    HostBuffer<double> m_mean;  ///< [u]
    std::optional<StripeWavelets> m_wavelets;
};

/// Removes stripes from all rows, in place; does nothing for RingMethod::none.
/// views: finite line integrals, [s][v][u]; threads: each with a remover of its own
/// @throws ResourceError, Cancelled
/// Tests: tests/core/scan/held_views_test.cpp
void removeRings(Span3<float> views, const RingSpec& spec, int threads,
                 const std::stop_token& stop);

}  // namespace gantry
