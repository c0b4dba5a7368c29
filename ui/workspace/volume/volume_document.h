#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "ui/models/image/grey_image.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/volume/volume_loading.h"

namespace gantry {

/// The open volume. It is read in the background; GUI thread only.
/// Tests: tests/ui/workspace/volume_document_test.cpp
class VolumeDocument : public QObject {
    Q_OBJECT

  public:
    explicit VolumeDocument(QObject* parent = nullptr);

    /// The open volume stays until the new one is available. A large one is available coarsely at
    /// first, and then as finely as memory allows.
    void open(const QString& path) { read({path}); }
    /// Opens a file that is written repeatedly: while it is the open one, the window that the user
    /// has set is kept.
    void follow(const QString& path);
    /// Gives the values of the open volume another scale, on disk without rewriting its voxels
    /// (see rescaleVolume()), and reads it again; the window stays where it was in attenuation.
    /// Where it fails, volumeChanged() tells that the scale is still that of volume().
    void rescale(const ValueScale& scale);
    /// Stops reading another volume; the open one stays.
    void cancelOpening() { m_opening.cancel(); }
    void close();
    [[nodiscard]] std::shared_ptr<const LoadedVolume> volume() const { return m_volume; }
    [[nodiscard]] bool isOpening() const { return m_opening.isBusy(); }
    [[nodiscard]] double openingFraction() const { return m_fraction; }
    /// "Reading walnut.mha, 43 %"; empty while nothing is being opened.
    [[nodiscard]] QString openingText() const;
    /// The window of every view of the volume.
    [[nodiscard]] const GreyWindow& window() const { return m_window; }
    void setWindow(const GreyWindow& window);

    /// Reports that a part of the volume cannot be read: once for each opened volume.
    void complainOfPart(const QString& sentence);

  signals:
    void volumeChanged();
    void openingChanged();  ///< began, ended, or progressed
    void windowChanged();
    void messageRaised(const gantry::Message& message);

  private:
    /// What is read: another volume, or the open one anew; and before that, given another scale.
    struct Reading {
        QString path;
        bool isFirst = true;  ///< coarsely, where it is large
        bool isAnother = true;
        std::optional<ValueScale> scale = {};
    };
    void read(const Reading& what);
    void take(LoadedVolume volume);
    void followProgress();

    std::shared_ptr<const LoadedVolume> m_volume;
    GreyWindow m_window;
    bool m_isWindowEdited = false;  ///< since the volume was opened
    bool m_hasPartFailed = false;   ///< since then, and it was reported
    QString m_openingName;
    double m_fraction = 0;
    std::shared_ptr<std::atomic<double>> m_progress;  // of the current reader
    std::shared_ptr<std::mutex> m_rescaling = std::make_shared<std::mutex>();
    QTimer m_timer{this};
    Background m_opening;
};

}  // namespace gantry
