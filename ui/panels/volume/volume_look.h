#pragma once

#include <QObject>
#include <array>
#include <optional>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "ui/models/image/transfer_function.h"
#include "ui/scene/volume/half_space.h"

namespace gantry {

/// How the open volume is shown in 3D; what the Volume tab can undo.
struct VolumeLook {
    std::optional<TransferPreset> preset = TransferPreset::window;  ///< none: points of the user's
    /// While the preset is the window, only its isByGradient counts.
    TransferFunction transfer = windowTransfer({});

    bool isBoxClipped = false;
    std::array<double, 3> boxLowMm = {0, 0, 0};  ///< along x, y, z
    std::array<double, 3> boxHighMm = {0, 0, 0};
    bool isPlaneClipped = false;
    /// Where the removed side is, seen from the volume's centre, and how far from it that begins.
    double planeAzimuthDeg = 0;  ///< of the source at that gantry angle
    double planeElevationDeg = 0;
    double planeOffsetMm = 0;

    std::optional<double> surfaceAttenuation;  ///< 1/mm; none: what parts matter from air

    std::array<bool, 3> hasSlice = {false, false, false};  ///< perpendicular to x, y, z
    bool hasCrossHair = false;

    friend bool operator==(const VolumeLook&, const VolumeLook&) = default;
};

/// The look without clipping.
/// Tests: tests/ui/panels/volume_look_test.cpp
[[nodiscard]] VolumeLook unclipped(VolumeLook look, const VolumeGrid& grid);
/// What is left of the volume.
[[nodiscard]] std::vector<HalfSpace> clipsOf(const VolumeLook& look, const VolumeGrid& grid);

/// A look with the ones before it. GUI thread only.
/// Tests: tests/ui/panels/volume_look_test.cpp
class LookHistory : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    [[nodiscard]] const VolumeLook& look() const { return m_look; }
    /// Edits up to a final one are one step.
    void edit(const VolumeLook& look, bool isFinal);
    /// Another volume: nothing before this is left.
    void restart(const VolumeLook& look);
    void undo();
    void redo();
    /// Whether there has been an edit, undone or not.
    [[nodiscard]] bool isEmpty() const { return m_before.empty() && m_undone.empty(); }

  signals:
    void changed();

  private:
    void show(const VolumeLook& look);

    VolumeLook m_look;
    VolumeLook m_settled;  // as the last final edit left it
    std::vector<VolumeLook> m_before;
    std::vector<VolumeLook> m_undone;
};

}  // namespace gantry
