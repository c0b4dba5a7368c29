#pragma once

#include <QTimer>
#include <QWidget>
#include <array>
#include <optional>

#include "core/engine/plane_preview.h"
#include "core/plan/job_spec.h"
#include "ui/models/image/grey_image.h"

namespace gantry {

class ImageView;
class NumberField;
class SharedGrid;

/// Slices and the planes that they show: axial, coronal, sagittal, and the oblique one.
struct SeenSlices {
    std::array<GreyImage, 4> images;
    std::array<Plane, 4> planes;
    std::optional<VolumeGrid> chosen;  ///< the volume, unless it follows the geometry
    JobSpec job;                       ///< whose geometry, filter and corrections they show

    [[nodiscard]] bool areEmpty() const { return images[0].isEmpty(); }
};

/// Shows live slices: with one window and one cross-hair for all, and the angles of the oblique
/// slice. What is on the screen stays in its place while values change: zoom, pan and window are
/// only set anew after clear(), and the part that is seen for another volume that was chosen. A
/// double click shows one of them alone.
/// Tests: tests/ui/panels/live_views_test.cpp, tests/ui/panels/live_panel_test.cpp
class LiveViews : public QWidget {
    Q_OBJECT

  public:
    explicit LiveViews(QWidget* parent);

    /// The next slices are those of another scan.
    void clear();
    /// areFinal: no truer ones follow
    void setSlices(const SeenSlices& slices, bool areFinal);
    [[nodiscard]] bool areEmpty() const { return m_now.areEmpty(); }
    [[nodiscard]] const SeenSlices& now() const { return m_now; }
    /// Shows what was there before, to compare: the same place in mm at the same place of the
    /// screen. Captions say which of them are other slices than those of now.
    void showBefore(bool isShown);
    /// What is there now is what is compared with.
    void keepAsBefore() { m_before = m_now; }
    [[nodiscard]] const SeenSlices& before() const { return m_before; }
    /// Those of before again, in other planes.
    void setBefore(const SeenSlices& slices);
    /// Whether any of those of before is another slice, as the cross-hair or the angles have
    /// changed since.
    [[nodiscard]] bool isBeforeElsewhere() const;
    /// Where the cross-hair of the next slices is.
    void setCross(Vec3 placeMm) { m_crossMm = placeMm; }
    /// The part of the axial slice that can be seen, in its pixels, or in fewer so that it has at
    /// most maxPixels along each side; without pixels before there are slices.
    [[nodiscard]] Plane seenPart(Index maxPixels) const;
    [[nodiscard]] const GreyWindow& window() const;
    [[nodiscard]] double turnDeg() const;
    [[nodiscard]] double tiltDeg() const;

  signals:
    void placeChosen(gantry::Vec3 placeMm);
    void anglesEdited();
    /// The user has zoomed or moved the axial slice, and it rests since a moment.
    void seenPartChanged();

  private:
    void buildViews();
    [[nodiscard]] QWidget* obliquePart();
    void connectView(std::size_t number, const QWidget* part);
    [[nodiscard]] const SeenSlices& wanted() const;
    void refresh();
    void showCross();

    SeenSlices m_now;
    SeenSlices m_before;
    SeenSlices m_shown;  // of these two
    bool m_isBeforeShown = false;
    bool m_isChosenAnew = false;  // the volume of m_now, since it was shown last
    bool m_hasWindow = false;
    Vec3 m_crossMm;
    SharedGrid* m_grid = nullptr;
    std::array<ImageView*, 4> m_views = {};
    NumberField* m_turn = nullptr;
    NumberField* m_tilt = nullptr;
    QTimer m_rest;  // since the axial slice was zoomed or moved
};

}  // namespace gantry
