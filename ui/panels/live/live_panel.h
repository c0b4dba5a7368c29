#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "core/geometry/vec3.h"

namespace gantry {

class Workspace;

/// Four slices through a common cross-hair that are reconstructed again while the scan's geometry,
/// the filter or the volume is edited, with a slider for the centre of rotation and a comparison
/// with how they were. Pixels of the slices are voxels of the volume, unless these are very many.
/// Tests: tests/ui/panels/live_panel_test.cpp
class LivePanel : public QWidget {
    Q_OBJECT

  public:
    explicit LivePanel(Workspace& workspace, QWidget* parent = nullptr);
    ~LivePanel() override;
    /// Starts them for the open scan, as its button does; as soon as the images can be read.
    void start();
    struct Slices {
        bool areFinal = false;  ///< those of a whole reconstruction with what is set now
        bool areOfGpu = false;
    };
    [[nodiscard]] Slices slices() const;
    /// Where the slices cross, mm from the isocentre; none while there are no slices.
    [[nodiscard]] std::optional<Vec3> crossMm() const;

  signals:
    void comparisonWanted();  ///< of slices with several values of an option

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
