#pragma once

#include <QComboBox>

namespace gantry {

class Workspace;

/// Chooses the volume whose residuals are shown: the open one, or that of a finished job of the
/// open scan, the newest first. What was chosen stays as long as it is there. GUI thread only.
/// Tests: tests/ui/panels/residual_views_test.cpp
class ResidualVolume : public QComboBox {
    Q_OBJECT

  public:
    explicit ResidualVolume(Workspace& workspace, QWidget* parent = nullptr);

    [[nodiscard]] QString path() const;  ///< empty: there is none

  signals:
    void changed();  ///< another volume, or the same one made anew

  private:
    void list();
    void add(const QString& path, const QString& remark);

    Workspace& m_workspace;
    QString m_chosen;  ///< by the user
};

}  // namespace gantry
