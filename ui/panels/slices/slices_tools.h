#pragma once

#include <QSize>
#include <QWidget>
#include <array>
#include <optional>

#include "ui/models/image/slab_images.h"
#include "ui/panels/slices/measurements.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace gantry {

class NumberField;

/// The row above the slices: what they show besides the voxels, and how far a reading is.
/// Tests: tests/ui/panels/slices_panel_test.cpp, tests/ui/panels/slices_slab_test.cpp
class SlicesTools : public QWidget {
    Q_OBJECT

  public:
    explicit SlicesTools(QWidget* parent = nullptr);

    /// The first volume gives the slab that is offered its thickness.
    void offerThickness(const VolumeGrid& grid);
    /// whyNot: the sentence on what is needed first; empty: the region can be shown.
    void enableRegion(const QString& whyNot);
    [[nodiscard]] bool isRegionShown() const;
    [[nodiscard]] QToolButton& obliqueButton() { return *m_oblique; }
    [[nodiscard]] QToolButton& saveButton() { return *m_save; }
    void showMeasuring(std::optional<MeasureKind> tool);
    void setReading(const QString& text, bool isReading);

    [[nodiscard]] QSize minimumSizeHint() const override;

  signals:
    void slabChosen(const gantry::Slab& slab);
    void scaleToggled(bool isShown);
    void regionToggled(bool isShown);
    void obliqueToggled(bool isShown);
    void measuringChosen(std::optional<gantry::MeasureKind> tool);
    void cancelRequested();
    void compareRequested();
    void compareFolderRequested();

  protected:
    bool event(QEvent* event) override;

  private:
    void foldRows();
    void buildSlab();
    QWidget* buildScale();
    void buildOblique();
    QToolButton* buildCompare();
    void buildMeasuring(QBoxLayout& line);
    void tellSlab();

    QBoxLayout* m_rows = nullptr;
    QBoxLayout* m_shownRow = nullptr;  ///< what the slices show
    QBoxLayout* m_toolRow = nullptr;   ///< what is done with them, and a reading
    QPushButton* m_region = nullptr;
    QComboBox* m_slabKind = nullptr;
    NumberField* m_thickness = nullptr;
    std::array<QToolButton*, 4> m_measuring = {};  ///< by MeasureKind
    QToolButton* m_oblique = nullptr;
    QToolButton* m_save = nullptr;
    QLabel* m_reading = nullptr;
    QPushButton* m_cancel = nullptr;
};

}  // namespace gantry
