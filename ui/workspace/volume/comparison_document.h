#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/geometry/vec3.h"
#include "core/metrics/image_error.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/volume/volume_document.h"

namespace gantry {

/// The differences between the open volume and the one it is compared with, as in `gantry compare`.
struct ComparisonFigures {
    ImageError error;
    Vec3 maxErrorMm;           ///< where the largest difference is
    bool isResampled = false;  ///< the second was interpolated at the first's voxels; no SSIM
};

/// A second volume beside the open one, and the figures of their difference, which are computed in
/// the background. Closed with the open volume. GUI thread only. Tests:
/// tests/ui/workspace/comparison_document_test.cpp
class ComparisonDocument : public QObject {
    Q_OBJECT

  public:
    explicit ComparisonDocument(VolumeDocument& first, QObject* parent = nullptr);

    /// Reads it in the same way as the open volume. If it cannot be compared, that is reported and
    /// nothing changes.
    void open(const QString& path);
    void close() { m_second.close(); }
    /// Whether something is compared, or being read for it.
    [[nodiscard]] bool isActive() const { return m_second.volume() || m_second.isOpening(); }
    /// Null before it has been read.
    [[nodiscard]] std::shared_ptr<const LoadedVolume> second() const { return m_second.volume(); }
    [[nodiscard]] QString openingText() const { return m_second.openingText(); }
    void cancelOpening() { m_second.cancelOpening(); }

    void computeFigures();
    void cancelFigures() { m_computing.cancel(); }
    [[nodiscard]] bool isComputing() const { return m_computing.isBusy(); }
    [[nodiscard]] const std::optional<ComparisonFigures>& figures() const { return m_figures; }
    /// A sentence each: why there are no figures, and warnings about these volumes (other scans,
    /// other units, shown more coarsely than they are).
    [[nodiscard]] QStringList remarks() const;

  signals:
    void changed();         ///< the volumes
    void openingChanged();  ///< began, ended, or progressed
    void figuresChanged();
    void messageRaised(const gantry::Message& message);

  private:
    void followFirst();
    void followSecond();
    void tell(const QString& sentence) { emit messageRaised({Message::Kind::info, sentence}); }
    [[nodiscard]] bool isOpenVolume(const QString& path) const;

    VolumeDocument& m_first;
    VolumeDocument m_second;
    std::optional<ComparisonFigures> m_figures;
    QString m_whyNoFigures;
    Background m_computing;
};

}  // namespace gantry
