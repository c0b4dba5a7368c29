#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "core/base/host_buffer.h"
#include "core/geometry/volume_grid.h"
#include "ui/models/grey_image.h"
#include "ui/models/message.h"
#include "ui/workspace/background.h"

namespace gantry {

/// A volume in memory, to be looked at.
struct LoadedVolume {
    QString path;
    QString format;            ///< "MetaImage, 32-bit float"
    VolumeGrid stored;         ///< of the file
    VolumeGrid grid;           ///< of `voxels`: coarser where the whole does not fit the memory
    HostBuffer<float> voxels;  ///< attenuation, 1/mm; [z][y][x], x fastest
    Histogram histogram;
    GreyWindow window;  ///< to begin with
    Index notFinite = 0;
};

/// The open volume. Read in the background; GUI thread only.
/// Tests: tests/ui/workspace/volume_document_test.cpp
class VolumeDocument : public QObject {
    Q_OBJECT

  public:
    explicit VolumeDocument(QObject* parent = nullptr);
    ~VolumeDocument() override;

    void open(const QString& path);
    void close();
    [[nodiscard]] std::shared_ptr<const LoadedVolume> volume() const { return m_volume; }
    [[nodiscard]] bool isOpening() const { return m_opening.isBusy(); }
    [[nodiscard]] double openingFraction() const { return m_fraction; }
    /// The window of every view of the volume.
    [[nodiscard]] const GreyWindow& window() const { return m_window; }
    void setWindow(const GreyWindow& window);

  signals:
    void volumeChanged();
    void openingChanged();  ///< began, ended, or got on
    void windowChanged();
    void said(const gantry::Message& message);

  private:
    std::shared_ptr<const LoadedVolume> m_volume;
    GreyWindow m_window;
    double m_fraction = 0;
    Background m_opening;
};

}  // namespace gantry
