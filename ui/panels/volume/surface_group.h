#pragma once

#include <QTimer>
#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>

#include "ui/scene/volume/isosurface.h"
#include "ui/scene/volume/picture_worker.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace gantry {

class AppearanceHistory;
class SliderField;
class VolumeRendering;
struct LoadedVolume;

/// The surface at an attenuation: made in the background while it is shown, measured, and saved.
/// Tests: tests/ui/panels/surface_group_test.cpp
class SurfaceGroup : public QWidget {
    Q_OBJECT

  public:
    SurfaceGroup(AppearanceHistory& history, VolumeRendering& rendering, QWidget* parent = nullptr);
    /// Null: none.
    void setVolume(std::shared_ptr<const LoadedVolume> volume);
    /// Whether the view shows the surface.
    void setShown(bool isShown);
    /// By the user, elsewhere.
    void setAttenuation(double attenuation, bool isFinal);

  signals:
    /// The attenuation of the surface that is shown, 1/mm; none: none is shown.
    void levelChanged(std::optional<double> attenuation);

  private:
    void build();
    void connectParts();
    [[nodiscard]] SurfaceOrder orderNow() const;
    void showWhetherItCounts();
    void showAppearance();
    void make();
    void askForFile();
    void save(const QString& path);
    void cancel();
    void showState();

    AppearanceHistory& m_history;
    VolumeRendering& m_rendering;
    std::shared_ptr<const LoadedVolume> m_volume;
    bool m_isShown = false;
    std::optional<SurfaceOrder> m_made;  // or being made, or what could not be
    QString m_found;                     // of it
    QString m_saved;
    bool m_isSaving = false;
    bool m_isCancelled = false;
    std::shared_ptr<std::atomic<double>> m_fraction;  // of the saving
    std::shared_ptr<std::atomic<double>> m_making;    // how much of the surface is made
    QLabel* m_label = nullptr;
    SliderField* m_attenuation = nullptr;
    QLabel* m_result = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_save = nullptr;
    QTimer m_pause{this};  // until an edit counts
    QTimer m_poll{this};   // of how far these are
    // The last members: what they run uses the others.
    PictureWorker m_maker;
    PictureWorker m_saver;
};

}  // namespace gantry
