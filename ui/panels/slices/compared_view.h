#pragma once

#include <QString>
#include <QWidget>
#include <array>

#include "ui/models/image/compared_images.h"
#include "ui/workspace/background/background.h"

class QComboBox;
class QPointF;
class QSlider;

namespace gantry {

class ImageView;
class NumberField;

/// How two volumes are shown.
struct ComparisonLook {
    enum class Mode { sideBySide, blended, difference };
    Mode mode = Mode::sideBySide;
    int percentOfSecond = 50;  ///< of a blend

    friend bool operator==(const ComparisonLook&, const ComparisonLook&) = default;
};

/// One plain slice of two volumes, at the first's voxels: two images that zoom and move together,
/// or one made of both. What they show is collected in the background, the newest next.
/// Tests: tests/ui/panels/slices_comparison_test.cpp
class ComparedView : public QWidget {
    Q_OBJECT

  public:
    explicit ComparedView(SliceAxis axis, QWidget* parent = nullptr);

    /// second: without voxels while it is read; the sentence says so.
    void setVolumes(const VoxelData& first, const VoxelData& second, const QString& sentence);
    void setNames(const QString& first, const QString& second);
    void setVoxel(const VoxelIndex& voxel);
    void setLook(const ComparisonLook& look);
    void setWindow(const GreyWindow& window);
    void setDifferenceWindow(const GreyWindow& window);
    /// The images that are shown; empty before the first.
    [[nodiscard]] const ImagePair& pair() const { return m_pair; }

  signals:
    void voxelChosen(const gantry::VoxelIndex& voxel);
    void windowEdited(const gantry::GreyWindow& window);
    void differenceWindowEdited(const gantry::GreyWindow& window);
    void maximiseRequested();
    void readoutChanged(const QString& text);
    void pairShown();

  private:
    [[nodiscard]] bool hasBoth() const {
        return !m_first.voxels.empty() && !m_second.voxels.empty();
    }
    [[nodiscard]] bool isDifference() const;
    void connectView(std::size_t number);
    void collect();
    void showPair();
    void showWindows();
    void showCaptions();
    void showCrosshair();
    void scroll(int steps);
    void tellReadout(QPointF pixel);

    SliceAxis m_axis;
    SlicePlane m_plane;
    VoxelData m_first;
    VoxelData m_second;
    std::array<QString, 2> m_names;
    VoxelIndex m_voxel = {0, 0, 0};
    ComparisonLook m_look;
    GreyWindow m_window;
    GreyWindow m_differenceWindow;
    ImagePair m_pair;
    Index m_shown = -1;
    std::array<ImageView*, 2> m_views = {};
    Background m_collecting;
};

/// The row above two compared volumes: how they are shown.
/// Tests: tests/ui/panels/slices_comparison_test.cpp
class ComparisonTools : public QWidget {
    Q_OBJECT

  public:
    explicit ComparisonTools(QWidget* parent = nullptr);

    [[nodiscard]] ComparisonLook look() const;
    /// Shows the other volume in the same place.
    void flip();
    /// That is shown in full colours, in 1/mm.
    void setReach(double reach);

  signals:
    void lookChosen(const gantry::ComparisonLook& look);
    void reachEdited(double reach);
    void closeRequested();

  private:
    void showLook();

    QComboBox* m_mode = nullptr;
    QSlider* m_blend = nullptr;
    QWidget* m_reachLabel = nullptr;
    NumberField* m_reach = nullptr;
};

}  // namespace gantry
