#pragma once

#include <QObject>
#include <QString>

#include "core/base/types.h"
#include "core/geometry/vec3.h"

namespace gantry {

/// What all panels show together: the view, the detector row, the job, the cross-hair. GUI thread
/// only.
class Selection : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    [[nodiscard]] Index view() const { return m_view; }
    [[nodiscard]] Index row() const { return m_row; }
    [[nodiscard]] const QString& jobFolder() const { return m_jobFolder; }
    [[nodiscard]] const QString& readout() const { return m_readout; }
    /// In the open volume, mm from the isocentre.
    [[nodiscard]] const Vec3& crossHairMm() const { return m_crossHairMm; }
    void setView(Index view);
    void setRow(Index row);
    void setJobFolder(const QString& folder);
    void setCrossHairMm(const Vec3& placeMm);
    /// The values under the pointer, for the status bar: "u 511.5  v 300.0  0.0213 /mm".
    void setReadout(const QString& text);

  signals:
    void viewChanged(gantry::Index view);
    void rowChanged(gantry::Index row);
    void jobFolderChanged(const QString& folder);
    void crossHairChanged(const gantry::Vec3& placeMm);
    void readoutChanged(const QString& text);

  private:
    Index m_view = 0;
    Index m_row = 0;
    QString m_jobFolder;
    Vec3 m_crossHairMm;
    QString m_readout;
};

}  // namespace gantry
