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
struct VolumeAppearance {
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

    friend bool operator==(const VolumeAppearance&, const VolumeAppearance&) = default;
};

/// The appearance without clipping.
/// Tests: tests/ui/panels/volume_appearance_test.cpp
[[nodiscard]] VolumeAppearance unclipped(VolumeAppearance appearance, const VolumeGrid& grid);
/// What is left of the volume.
[[nodiscard]] std::vector<HalfSpace> clipsOf(const VolumeAppearance& appearance,
                                             const VolumeGrid& grid);

/// An appearance with the ones before it. GUI thread only.
/// Tests: tests/ui/panels/volume_appearance_test.cpp
class AppearanceHistory : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    [[nodiscard]] const VolumeAppearance& appearance() const { return m_appearance; }
    /// Edits up to a final one are one step.
    void edit(const VolumeAppearance& appearance, bool isFinal);
    /// Another volume: nothing before this is left.
    void restart(const VolumeAppearance& appearance);
    void undo();
    void redo();
    /// Whether there has been an edit, undone or not.
    [[nodiscard]] bool isEmpty() const { return m_before.empty() && m_undone.empty(); }

  signals:
    void changed();

  private:
    void show(const VolumeAppearance& appearance);

    VolumeAppearance m_appearance;
    VolumeAppearance m_settled;  // as the last final edit left it
    std::vector<VolumeAppearance> m_before;
    std::vector<VolumeAppearance> m_undone;
};

}  // namespace gantry
