#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"

namespace gantry {

/// Zingers: pixels that a scattered photon or a cosmic ray has made bright in one view.
struct ZingerSpec {
    double ratio = 0;   ///< a zinger is brighter than the median around it by more than this
                        ///< factor, which noise does not reach
    Index widthPx = 3;  ///< width of the square, within the view, of the median; odd

    friend bool operator==(const ZingerSpec&, const ZingerSpec&) = default;
};

/// Replaces zingers by the median of the square around them (a conditional median, like tomopy's
/// remove_outlier and algotom's remove_zinger); all other pixels keep their bits. Beyond the
/// detector's ends the view continues as its mirror image.
/// One view at a time; several threads each need a remover of their own.
/// Tests: tests/core/prep/zingers_test.cpp
class ZingerRemover {
  public:
    ZingerRemover(const ZingerSpec& spec, Index columns);

    /// view: finite line integrals, [1][v][u], in place; a brighter pixel has a smaller one. onRow:
    /// called with the number of replaced pixels of a row that has any
    void apply(
        Span3<float> view,
        const std::function<void(Index row, Index replaced)>& onRow = [](Index, Index) {});

    /// Memory that a remover for that many columns takes, bytes.
    [[nodiscard]] static Index workspaceBytes(const ZingerSpec& spec, Index columns);

  private:
    /// Original rows in the current row's window, before any pixel was replaced.
    [[nodiscard]] float* keptRow(Index row);
    void keep(Span3<float> view, Index row);
    void countDarker(Index row, Index rows);
    [[nodiscard]] float medianAround(Index row, Index rows, Index u);

    float m_threshold;  ///< of line integrals
    Index m_half;       ///< the square is 2·m_half + 1 wide
    Index m_columns;
    HostBuffer<float> m_kept;  ///< [row % (2·m_half + 1)][u], with mirrored ends
    HostBuffer<std::int32_t>
        m_darker;  ///< [u]: pixels of the square that are darker by more than the threshold
    std::vector<float> m_square;
};

}  // namespace gantry
