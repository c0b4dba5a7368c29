#pragma once

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// Collects what a report and a preview need from a volume while its slices are being stored: the
/// three central slices, a thinned copy, and the range of values. Different slices may come in any
/// order and from several threads at once.
class VolumeSummary {
  public:
    explicit VolumeSummary(const VolumeGrid& grid);

    /// Adds slices with up to `threads` threads.
    void add(Index zBegin, Span3<const float> slices, int threads = 1);

    /// Memory of a summary for this grid.
    [[nodiscard]] static Index bytesNeeded(const VolumeGrid& grid);

    struct Image {
        Index width = 0;
        Index height = 0;
        double pixelWidthMm = 0;
        double pixelHeightMm = 0;
        std::vector<float> values;  ///< [row][column], row 0 at the top
    };
    /// Views from above (z), from the front (y) and from the side (x); up is +y, +z, +z.
    [[nodiscard]] const std::array<Image, 3>& centralSlices() const { return m_slices; }

    [[nodiscard]] const VolumeGrid& previewGrid() const { return m_previewGrid; }
    [[nodiscard]] static VolumeGrid previewGridOf(const VolumeGrid& grid);
    /// Slices of the volume from one of the preview to the next; the first is the volume's first.
    [[nodiscard]] Index previewStep() const { return m_stride[2]; }
    [[nodiscard]] Span3<const float> preview() const;  ///< [z][y][x]
    [[nodiscard]] float smallest() const { return m_smallest; }
    [[nodiscard]] float largest() const { return m_largest; }

    /// Serialises all of it, for a run that is resumed later on the same machine.
    [[nodiscard]] std::string save() const;
    /// @throws InputError when the bytes do not belong to a summary of this grid
    void restore(std::string_view bytes);

    /// Serialises the contribution of these slices, and the range of values, for another process
    /// that makes other slices of the same volume.
    [[nodiscard]] std::string saveSlices(const std::vector<IndexRange>& slices) const;
    /// Adds the result of saveSlices() for the same slices. @throws InputError as restore()
    void addSaved(const std::vector<IndexRange>& slices, std::string_view bytes);

  private:
    template <class Self, class Visit>
    static void visitParts(Self& self, const Visit& visit);
    template <class Self, class Visit>
    static void visitSlices(Self& self, const std::vector<IndexRange>& slices, const Visit& visit);
    void takeRange(float smallest, float largest);
    void addRange(const float* values, Index count);
    void addSlice(Index z, const float* slice);

    VolumeGrid m_grid;
    std::array<Image, 3> m_slices;
    std::array<Index, 3> m_stride{1, 1, 1};
    VolumeGrid m_previewGrid;
    std::vector<float> m_preview;
    float m_smallest = 0;
    float m_largest = 0;
    bool m_any = false;
    std::mutex m_mutex;  ///< guards the range
};

}  // namespace gantry
