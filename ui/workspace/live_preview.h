#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTemporaryFile>
#include <memory>
#include <optional>
#include <vector>

#include "core/live/live_messages.h"
#include "ui/models/image/grey_image.h"
#include "ui/workspace/child_process.h"

namespace gantry {

/// Pictures of a request, one a plane.
struct LiveShown {
    Index number = 0;
    Index binning = 1;
    bool isFinal = false;
    std::vector<GreyImage> images;
};

/// Live slices of a scan, made by a process of their own (`gantry live`), which hands its pictures
/// over in memory that both share: what befalls it does not touch the window. A newer request takes
/// the place of the one under way, whose pictures are dropped. GUI thread only; nothing blocks.
/// Tests: tests/ui/workspace/live_preview_test.cpp
class LivePreview : public QObject {
    Q_OBJECT

  public:
    explicit LivePreview(QString program, QObject* parent = nullptr);

    /// Starts to read the scan's views, in that place. loading() and ready()
    /// follow, or failed().
    void open(const JobSpec& spec, const LivePlace& place);
    void close();
    [[nodiscard]] bool isOpen() const { return m_child.current() != nullptr; }
    [[nodiscard]] bool isReady() const { return m_isReady; }
    /// Where the pictures are handed over; empty while it is closed.
    [[nodiscard]] QString pictureFile() const {
        return m_pictures ? m_pictures->fileName() : QString();
    }

    /// Asks for planes by a job's geometry and filter; sent when the views are there. Where the job
    /// corrects views in another way, they are read again first.
    /// @returns the request's number
    Index ask(const JobSpec& spec, std::vector<Plane> planes);

  signals:
    void loading(double fraction);
    void ready(gantry::Index binning, gantry::Index bytes);
    void shown(const gantry::LiveShown& pictures);  ///< of the newest request
    void refused(const QString& sentence);          ///< the newest request cannot be made
    void failed(const QString& sentence);           ///< closed, by itself

  private:
    void sendAsked();
    void readLines();
    void take(const LiveTold& told);
    [[nodiscard]] std::optional<GreyImage> imageAt(const PicturePlace& place);
    void fail(const QString& sentence);

    QString m_program;
    ChildProcess m_child;
    std::unique_ptr<QTemporaryFile> m_pictures;
    Corrections m_corrections;  // of the views that are held
    LivePlace m_place;
    bool m_isReady = false;
    std::optional<LiveAsked> m_asked;  // the newest, until it is sent
    Index m_newest = 0;
    QByteArray m_read;  // of a line that is not whole yet
};

}  // namespace gantry
