#pragma once

#include <QPointF>
#include <QString>
#include <QWidget>
#include <optional>

#include "ui/models/image/oblique_images.h"
#include "ui/panels/slices/slice_export.h"
#include "ui/workspace/background/background.h"

namespace gantry {

class ImageView;

/// The slice of any direction through the cross-hair, or a slab about it. It is sampled in the
/// background, the newest request first; what takes longer than a frame is shown coarsely first.
/// Tests: tests/ui/panels/slices_oblique_test.cpp
class ObliqueView : public QWidget {
    Q_OBJECT

  public:
    explicit ObliqueView(QWidget* parent = nullptr);

    /// No voxels: none. Shown with the next setPlane().
    void setVolume(const VoxelData& volume);
    void setPlane(const ObliqueAngles& angles, Vec3 throughMm);
    void setCaption(const QString& text, bool isWarning);
    void setWindow(const GreyWindow& window);
    void setSlab(const Slab& slab);
    void setScaleShown(bool isShown);
    /// What is painted over, and takes events before it.
    [[nodiscard]] ImageView& imageView() { return *m_view; }
    /// The raster of the image that is shown.
    [[nodiscard]] const PlaneRaster& raster() const { return m_shown; }
    /// What is shown, to be saved.
    [[nodiscard]] SlicePicture picture() const;

  signals:
    void placeChosen(const gantry::Vec3& placeMm);
    void windowEdited(const gantry::GreyWindow& window);
    void maximiseRequested();
    void used();  ///< got the focus
    void readoutChanged(const QString& text);
    void rasterChanged();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    struct Sampled {
        GreyImage image;
        double seconds = 0;
    };

    void connectView();
    void forgetShown();
    void showPlane();
    void sample(Index coarseness);
    void take(const GreyImage& image, const PlaneRaster& raster);
    void showCrosshair();
    void showCorner(const ObliqueAngles& angles);
    void choose(QPointF pixel);
    void scroll(int steps);
    void tellReadout();
    [[nodiscard]] Index coarsenessInTime() const;

    VoxelData m_data;
    ObliqueAngles m_angles;
    Vec3 m_throughMm;
    Slab m_slab;
    bool m_isScaleShown = true;
    PlaneRaster m_wanted;
    PlaneRaster m_shown;
    Index m_coarseness = 0;            ///< of the image that is shown; 0: there is none
    bool m_isWaitedFor = false;        ///< what is sampled now is there within a frame
    double m_secondsPerSample = 1e-8;  ///< as measured last
    std::optional<QPointF> m_hovered;  ///< the pixel under the pointer
    ImageView* m_view = nullptr;
    Background m_sampling;
};

}  // namespace gantry
