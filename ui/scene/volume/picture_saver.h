#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "ui/scene/volume/picture_worker.h"
#include "ui/scene/volume/ray_cast_request.h"

namespace gantry {

/// What is needed to make a volume's pictures, independent of the view on the screen.
struct PictureSource {
    RayCastRequest request;  ///< as it is shown now
    VolumeGrid grid;
    std::function<QImage(const RayCastRequest&, const std::stop_token&)> cast;  ///< in any thread
};

struct PictureOrder {
    std::vector<QString> paths;  ///< PNG files; for several, the volume turns once round
    int scale = 1;               ///< times as many pixels along an edge as on the screen
    bool hasColourBar = true;
};

/// Makes pictures of a volume and stores them one after another in the background, each under a
/// temporary name until it is complete. GUI thread only.
/// Tests: tests/ui/scene/picture_saver_test.cpp
class PictureSaver : public QObject {
    Q_OBJECT

  public:
    explicit PictureSaver(QObject* parent = nullptr);

    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    /// Only while not busy.
    void save(PictureSource source, PictureOrder order);
    /// Complete pictures stay.
    void cancel();

  signals:
    void progressed(int done, int count);
    /// sentence: what went wrong, or empty
    void finished(int done, const QString& sentence);

  private:
    void saveNext();
    void end(const QString& sentence);

    PictureSource m_source;
    PictureOrder m_order;
    int m_done = 0;
    bool m_isBusy = false;
    // It is the last member, because its work uses the others.
    PictureWorker m_worker;
};

}  // namespace gantry
