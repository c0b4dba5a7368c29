#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/engine/view_steps.h"
#include "core/pipeline/batch.h"
#include "core/prep/corrections.h"
#include "core/prep/line_integrals.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_corrector.h"

namespace gantry {

/// Detector rows of views of a corrected scan, for one pass after the other. Where a step sees all
/// views, as ring removal does, all views of a row are held until the last has come; otherwise only
/// the current block is held. A device may hold the rows of all passes at once. Rows
/// are those of the real detector, where rings arise. For each pass: begin(); load() and correct()
/// of all views, block by block; correctAllViews(); then fill() of each batch. If isByBlock(),
/// fill() takes the block loaded last. One call at a time. Tests:
/// tests/core/scan/held_views_test.cpp
class HeldViews {
  public:
    /// scan: corrected(), outlives this; blockViews: max views that are loaded at once
    HeldViews(const OpenScan& scan, Index blockViews, int threads);

    /// Pins host memory for devices; it may be empty or return nothing.
    using Pin = std::function<std::shared_ptr<void>(void* data, Index bytes)>;
    /// Makes a device correct the views from now on, with the CPU's results. isHeld: it also holds
    /// all views, as its job says
    void useDevice(std::unique_ptr<ViewSteps> steps, bool isHeld, Pin pin);

    /// Whether views are corrected independently of each other.
    [[nodiscard]] bool isByBlock() const {
        return !m_corrections.needsAllViews() && !m_isHeldThere;
    }
    /// rows: of the real detector; counted: those whose invalid pixels are counted
    void begin(const IndexRanges& rows, IndexRange counted);
    /// The same for the rows of several passes, whose batches are filled one after the other.
    void beginAll(const IndexRanges& rows, const RowCounts& counts);
    [[nodiscard]] Index bytesToLoad(IndexRange views) const;
    /// Reads the pixels that the rows of these views are made from.
    /// @throws ViewError naming the view that cannot be read; Cancelled
    void load(IndexRange views, const std::stop_token& stop);
    /// Turns the views loaded last into line integrals and corrects each by itself.
    /// @throws Cancelled
    void correct(const std::stop_token& stop);
    /// @throws Cancelled
    void correctAllViews(const std::stop_token& stop);
    /// Does all of the above, for all views. @throws as they do
    void holdAll(const std::stop_token& stop);
    /// Copies the batch's stored rows of its views into its slot.
    void fill(Batch& batch);

    /// count: which of the rows' counts; the CPU has one
    [[nodiscard]] InvalidPixels invalidIn(IndexRange views, Index count = 0) const;
    /// Bytes of the rows that are held of `views` views.
    [[nodiscard]] Index bytesOf(Index views) const {
        return views * m_rows.size() * m_columns * Index{sizeof(float)};
    }

  private:
    /// A block of rows that are read together, of the views loaded last.
    struct Block {
        StepRows rows;
        Index firstHeld;  ///< place of its first row among all that are held
        Index viewBytes;  ///< of the rows that are read of a view, as stored
        std::byte* pixels;
        float* integrals;  ///< [s][v][u], where the host makes them for a device
    };
    template <class T>
    void makeRoom(HostBuffer<T>& buffer, std::shared_ptr<void>& pinned, Index count);
    void makeBlocks(const IndexRanges& rows);
    [[nodiscard]] bool isOnHost() const { return !m_steps || (!isByBlock() && !m_isHeldThere); }
    [[nodiscard]] Span3<float> held() {
        return {m_held.data(), isByBlock() ? m_blockViews : m_views, m_rows.size(), m_columns};
    }
    void correctOnDevice(const std::stop_token& stop);
    void makeIntegrals(const std::stop_token& stop);
    /// Place of a view among those that are held.
    [[nodiscard]] Index placeOf(Index view) const {
        return isByBlock() ? view - m_loadedViews.begin : view;
    }
    [[nodiscard]] Index placeOf(IndexRange rows) const;
    [[nodiscard]] StoredRows rowsOf(const Block& block, Index place) const;
    void correctView(const Block& block, const StoredRows& stored, ViewCorrector& corrector);

    const OpenScan& m_scan;
    const OpenScan& m_stored;
    const Corrections& m_corrections;
    bool m_needsIntegrals;  ///< a device takes them from the host
    int m_threads;
    Index m_views;
    Index m_columns;
    IndexRanges m_rows;
    IndexRange m_counted;
    std::vector<Block> m_blocks;
    IndexRange m_loadedViews;
    Index m_blockViews;
    HostBuffer<std::byte> m_loaded;        ///< of each block [s][v][u]
    HostBuffer<float> m_integrals;         ///< the same
    HostBuffer<float> m_held;              ///< [s][v][u]
    std::vector<InvalidPixels> m_invalid;  ///< [view]
    // These are released before the memory that they pin or copy from.
    std::shared_ptr<void> m_loadedPinned;
    std::shared_ptr<void> m_integralsPinned;
    std::shared_ptr<void> m_heldPinned;
    Pin m_pin;
    std::unique_ptr<ViewSteps> m_steps;  ///< of a device; null: the CPU corrects
    bool m_isHeldThere = false;
    std::vector<ViewCorrector> m_correctors;  ///< one a thread
};

}  // namespace gantry
