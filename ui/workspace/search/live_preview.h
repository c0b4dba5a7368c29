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
#include "ui/workspace/background/child_process.h"

namespace gantry {

/// Pictures of a request, one a plane, whose shape they have.
struct LiveShown {
    Index number = 0;
    Index binning = 1;
    bool isFinal = false;
    std::vector<GreyImage> images;
};

/// Live slices of a scan, made by a separate process (`gantry live`), which passes its pictures in
/// shared memory, so that a crash does not affect the window. A newer request replaces the current
/// one, whose pictures are dropped. GUI thread only; nothing blocks. Tests:
/// tests/ui/workspace/live_preview_test.cpp
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
    /// The file of the pictures; empty while it is closed.
    [[nodiscard]] QString pictureFile() const {
        return m_pictures ? m_pictures->fileName() : QString();
    }

    /// Requests planes with a job's geometry and filter; sent when the views have been loaded. If
    /// the job has other corrections, the views are read again first.
    /// @returns the request's number
    Index ask(const JobSpec& spec, std::vector<Plane> planes);

  signals:
    void loading(double fraction);
    void ready(gantry::Index binning, gantry::Index bytes);
    void shown(const gantry::LiveShown& pictures);  ///< of the newest request
    void refused(const QString& sentence);          ///< the newest request failed
    void failed(const QString& sentence);           ///< it has closed itself

  private:
    void sendAsked();
    void readLines();
    void take(const LiveReply& told);
    [[nodiscard]] std::optional<GreyImage> imageAt(const PicturePlace& place,
                                                   const Plane& plane) const;
    void fail(const QString& sentence);

    QString m_program;
    ChildProcess m_child;
    std::unique_ptr<QTemporaryFile> m_pictures;
    JobSpec m_loaded;  // with which the views were loaded
    LivePlace m_place;
    bool m_isReady = false;
    std::optional<LiveAsked> m_asked;  // the newest, until it is sent
    Index m_newest = 0;
    std::vector<Plane> m_planes;  // of the newest
    QByteArray m_read;            // an incomplete line
};

}  // namespace gantry
