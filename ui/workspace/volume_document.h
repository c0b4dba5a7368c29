#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <memory>

#include "ui/models/image/grey_image.h"
#include "ui/models/message.h"
#include "ui/workspace/background.h"
#include "ui/workspace/volume_loading.h"

namespace gantry {

/// The open volume. Read in the background; GUI thread only.
/// Tests: tests/ui/workspace/volume_document_test.cpp
class VolumeDocument : public QObject {
    Q_OBJECT

  public:
    explicit VolumeDocument(QObject* parent = nullptr);
    ~VolumeDocument() override;

    /// The volume open so far stays until the new one is there. A large one is there coarsely at
    /// first, and then as fine as memory allows.
    void open(const QString& path);
    /// As open(), of a file that is written again and again: while it is the one that is open, the
    /// window that the user has set stays.
    void follow(const QString& path);
    /// Stops a reading and drops what is being read; what is open so far stays.
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

    /// Tells the user that a part of the volume cannot be read: once for each volume that is
    /// opened.
    void complainOfPart(const QString& sentence);

  signals:
    void volumeChanged();
    void openingChanged();  ///< began, ended, or got on
    void windowChanged();
    void said(const gantry::Message& message);

  private:
    void read(const QString& path, bool isFirst, bool isAnother = true);
    void take(LoadedVolume volume);
    void followProgress();

    std::shared_ptr<const LoadedVolume> m_volume;
    GreyWindow m_window;
    bool m_isWindowEdited = false;  ///< since the volume was opened
    bool m_hasPartFailed = false;   ///< since then, and the user was told
    QString m_openingName;
    double m_fraction = 0;
    std::shared_ptr<std::atomic<double>> m_progress;  // of the reader under way
    QTimer m_timer;
    Background m_opening;
};

}  // namespace gantry
