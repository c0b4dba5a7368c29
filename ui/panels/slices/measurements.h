#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <optional>
#include <vector>

#include "core/io/volume/voxel_encoding.h"
#include "ui/models/image/plane_raster.h"
#include "ui/models/image/region_box.h"
#include "ui/models/image/slice_images.h"

namespace gantry {

enum class MeasureKind { distance, angle, profile, region };

/// What was drawn over slices, in the world: it holds whatever volume is shown.
struct SliceMeasure {
    int id = 0;
    MeasureKind kind = MeasureKind::distance;
    /// Ends of a distance or profile; an angle's ends with its vertex between; low and high corner
    /// of a region.
    std::vector<Vec3> points;
    std::optional<double> knownHu = {};  ///< what the region's mean is known to be

    friend bool operator==(const SliceMeasure&, const SliceMeasure&) = default;
};

[[nodiscard]] std::size_t pointsOf(MeasureKind kind);
/// The box of a region's corners, in any order.
[[nodiscard]] RegionBox regionOf(const SliceMeasure& region);
[[nodiscard]] SliceMeasure withRegion(SliceMeasure region, const RegionBox& box);
/// What is told beside it, without reading a voxel: "12.3 mm", "43.2°", "4 × 3 × 1.25 mm".
[[nodiscard]] QString sizeOf(const SliceMeasure& measurement);
/// Whether all of it lies in that slice, within half a step to the next one; of a region, whether
/// the slice cuts it.
[[nodiscard]] bool liesIn(const SliceMeasure& measurement, const PlaneRaster& slice);

/// What was measured in the slices, which of it is chosen, the tool that draws the next, how the
/// oblique slice lies, and the scale of the volume's values: what the Slices tab can undo. GUI
/// thread only. Tests: tests/ui/panels/slices_measuring_test.cpp,
/// tests/ui/panels/slices_oblique_test.cpp
class Measurements : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    [[nodiscard]] const std::vector<SliceMeasure>& all() const { return m_now.all; }
    [[nodiscard]] const SliceMeasure* chosen() const;
    void choose(std::optional<int> id);
    [[nodiscard]] std::optional<MeasureKind> tool() const { return m_tool; }
    void setTool(std::optional<MeasureKind> tool);

    /// Chosen from then on; the tool has done.
    void add(MeasureKind kind, std::vector<Vec3> points);
    /// Edits up to a final one are one step.
    void edit(const SliceMeasure& measurement, bool isFinal);
    void removeChosen();
    [[nodiscard]] const ObliqueAngles& oblique() const { return m_now.oblique; }
    /// Edits up to a final one are one step.
    void setOblique(const ObliqueAngles& angles, bool isFinal);
    [[nodiscard]] const ValueScale& scale() const { return m_now.scale; }
    /// The volume is to have another scale.
    void setScale(const ValueScale& scale);
    /// The volume has that scale; where it is not the one that was set, no step of undo changes it.
    void takeScale(const ValueScale& scale);
    [[nodiscard]] bool canUndo() const { return !m_before.empty(); }
    [[nodiscard]] bool canRedo() const { return !m_undone.empty(); }
    void undo();
    void redo();

    /// What its voxels tell in a few words, beside it; forgotten when it is edited.
    void setFigure(int id, const QString& text);
    [[nodiscard]] QString figure(int id) const;
    /// Another volume of the same object is shown.
    void forgetFigures();
    /// Another object is shown: its slices have no measurements, and nothing is undone in them.
    void clear();

  signals:
    void changed();       ///< a place, the choice, a figure
    void chosenEdited();  ///< another is chosen, or the chosen one stands elsewhere for good
    void toolChanged();
    void obliqueChanged();
    void scaleChanged();  ///< set, undone or redone

  private:
    struct State {
        std::vector<SliceMeasure> all;
        ObliqueAngles oblique;
        ValueScale scale;

        friend bool operator==(const State&, const State&) = default;
    };

    void settle();
    void settleMeasured();
    void show(const State& state);

    State m_now;
    State m_settled;  // as the last final edit left it
    std::vector<State> m_before;
    std::vector<State> m_undone;
    std::map<int, QString> m_figures;
    std::optional<int> m_chosen;
    std::optional<MeasureKind> m_tool;
    int m_lastId = 0;
};

}  // namespace gantry
