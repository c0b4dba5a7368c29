#pragma once

#include <QWidget>

#include "ui/scene/volume/picture_saver.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace gantry {

class NumberField;
class VolumeRendering;

/// Saves what is seen in 3D as a picture, or as a series that turns it once round.
/// Tests: tests/ui/panels/volume_panel_test.cpp
class PicturesGroup : public QWidget {
    Q_OBJECT

  public:
    explicit PicturesGroup(VolumeRendering& rendering, QWidget* parent = nullptr);
    /// Sets the volume's file: pictures are named after it and offered to be saved beside it. Ends
    /// a series of another volume that is being saved.
    void setVolume(const QString& path);
    void askForPicture();
    void askForTurntable();

  private:
    void build();
    void connectParts();
    void save(std::vector<QString> paths);
    void showState(bool isBusy);

    VolumeRendering& m_rendering;
    QString m_volume;
    QString m_place;  // the file or folder that is being saved to
    QComboBox* m_scale = nullptr;
    QCheckBox* m_bar = nullptr;
    QPushButton* m_picture = nullptr;
    NumberField* m_count = nullptr;
    QPushButton* m_turntable = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QLabel* m_result = nullptr;
    PictureSaver m_saver;
};

}  // namespace gantry
