#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/pipeline/batch.h"
#include "core/recon/gate_progress.h"
#include "core/recon/open_scan.h"

namespace gantry {

/// The first two stages of a projection's walk: stored pixels into a batch, and stored pixels to
/// line integrals of the aligned detector.
/// load() and prepare() may run on two threads at once, each on its own batch.
class ViewStages {
  public:
    /// before: what an interrupted run had gated in the slabs that are not made again.
    ViewStages(const OpenScan& scan, int threads, Index passes, const GateProgress& before = {});

    /// Real detector rows that a batch with these (aligned) rows has to read.
    [[nodiscard]] IndexRange storedRows(IndexRange rows) const;

    /// @throws Cancelled; ViewError naming the view that cannot be read
    void load(Batch& batch, const std::stop_token& stop) const;

    /// Passes come in order. @throws Cancelled
    void prepare(Batch& batch, const std::stop_token& stop);

    /// Gated up to and with that pass, once all its batches are prepared.
    [[nodiscard]] const GateProgress& gated(Index pass) const {
        return m_gated[static_cast<std::size_t>(pass)];
    }

  private:
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const;
    GateCounts gate(Index firstRow, Span3<float> view) const;

    const OpenScan& m_scan;
    int m_threads;
    std::vector<HostBuffer<float>> m_scratch;  ///< one a worker, for rectification
    std::vector<GateProgress> m_gated;         ///< by pass
    GateProgress m_before;                     ///< the pass at hand
    Index m_pass = -1;                         ///< at hand
};

}  // namespace gantry
