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

    /// Why the card cannot be used, a sentence; empty: there is no problem.
    [[nodiscard]] QString problem() const;
    [[nodiscard]] bool isSoftware() const;
    [[nodiscard]] QString graphicsName() const;  ///< as reported by the driver
    /// Called in the thread that used it so far.
    void moveToThread(QThread& thread);
    [[nodiscard]] Index freeBytes() const;  ///< of the card at the start; 0: the driver does not
                                            ///< report it
    void setVolume(const std::shared_ptr<const ReducedVolume>& volume);  ///< null: none
    /// Boxes of finer voxels that replace parts of the volume, each within the one before it.
    using Boxes = std::vector<std::shared_ptr<const ReducedVolume>>;
    /// Uploads one of the boxes, because each takes time.
    /// @returns whether there was one; when none is left, the pictures show these boxes
    bool takeBox(const Boxes& wanted);
    /// Sets the surface for requests with isSurface; null: nothing.
    void setSurface(const std::shared_ptr<const SurfaceMesh>& mesh);
    /// Premultiplied, transparent where nothing is. Null after a problem, and if voxels are
    /// requested and there are none.
    [[nodiscard]] QImage cast(const RayCastRequest& request);
    /// The same for voxels, in strips of a few hundredths of a second each, between which a stop
    /// takes effect; null then.
    [[nodiscard]] QImage castInStrips(const RayCastRequest& request, const std::stop_token& stop);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
