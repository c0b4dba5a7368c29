#pragma once

#include <QImage>
#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

#include "ui/scene/volume/ray_cast_request.h"
#include "ui/scene/volume/reduced_volume.h"

class QThread;

namespace gantry {

struct SurfaceMesh;

/// Casts rays, and draws surfaces, with the graphics card, by VTK. Made and destroyed in the GUI
/// thread, used in one thread at a time.
/// Tests: tests/ui/scene/ray_caster_test.cpp
class GpuRayCaster {
  public:
    GpuRayCaster();
    ~GpuRayCaster();

    /// Empty: all is well. Else why the card cannot be used, a sentence.
    [[nodiscard]] QString problem() const;
    [[nodiscard]] bool isSoftware() const;
    [[nodiscard]] QString graphicsName() const;  ///< as the driver tells it
    /// From the thread that uses it to the one that will.
    void moveToThread(QThread& thread);
    [[nodiscard]] Index freeBytes() const;  ///< of the card at first; 0: the driver does not tell
    void setVolume(const std::shared_ptr<const ReducedVolume>& volume);  ///< null: none
    /// Finer voxels that stand for parts of the volume, each box within the one before it.
    using Boxes = std::vector<std::shared_ptr<const ReducedVolume>>;
    /// Brings one of them onto the card, as that takes its time. @returns whether there was one;
    /// when none is left, the pictures show these boxes
    bool takeBox(const Boxes& wanted);
    /// What is drawn where a surface is asked for; null: nothing.
    void setSurface(const std::shared_ptr<const SurfaceMesh>& mesh);
    /// Premultiplied, clear where nothing is. Null after a problem, and where voxels are asked for
    /// and there are none.
    [[nodiscard]] QImage cast(const RayCastRequest& request);
    /// The same, of voxels strip by strip of a few hundredths of a second each, between which a
    /// stop takes effect; null then.
    [[nodiscard]] QImage castInStrips(const RayCastRequest& request, const std::stop_token& stop);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
