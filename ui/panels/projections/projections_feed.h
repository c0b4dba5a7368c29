#pragma once

#include <QObject>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/filter/filter_spec.h"
#include "core/scan/open_scan.h"
#include "ui/models/image/projection_images.h"
#include "ui/workspace/background/background.h"

namespace gantry {

/// What one view looks like at every step of a reconstruction; by ProjectionStep.
using ViewPictures = std::array<ProjectionPicture, 3>;

/// Reads, corrects and filters images for the projections panel, off the GUI thread. One
/// request of each kind is under way, and the newest of those that come meanwhile waits, so that
/// pictures follow a scrubber without falling behind. GUI thread only.
/// Tests: tests/ui/panels/projections_panel_test.cpp
class ProjectionsFeed : public QObject {
    Q_OBJECT

  public:
    explicit ProjectionsFeed(QObject* parent = nullptr);

    /// Where later requests read from. Null drops all requests under way.
    void setScan(std::shared_ptr<const OpenScan> scan);

    /// view: its number in the trajectory; not one that is left out
    void readStored(Index view);
    void readSteps(Index view, const FilterSpec& filter);
    /// Without a filter: line integrals.
    void readSinogram(Index row, const std::optional<FilterSpec>& filter);
    /// The volume whose residuals readResidual() makes. An empty path frees its memory; the same
    /// one again has it read again.
    void setResidualVolume(const QString& path);
    /// Makes only the newest: of a view before, it is cancelled.
    void readResidual(Index view);
    [[nodiscard]] bool isMakingResidual() const { return m_residual.isBusy(); }
    /// Whether an image of a view is being read.
    [[nodiscard]] bool isReadingView() const;

  signals:
    void storedRead(gantry::Index view, const gantry::ProjectionPicture& picture);
    /// scan: what they were read from, which may be the one before.
    void stepsRead(gantry::Index view, const gantry::ViewPictures& pictures,
                   const std::shared_ptr<const gantry::OpenScan>& scan);
    /// How bright the beam of each view of the trajectory is, as a share of the flat fields',
    /// before stepsRead(): no number for views that are left out; empty if it is not measured.
    void beamRead(const std::vector<double>& beam);
    void sinogramRead(gantry::Index row, const gantry::ProjectionPicture& picture, bool isFiltered);
    /// figures: how large it is, beside the measured line integrals
    void residualMade(gantry::Index view, const gantry::ProjectionPicture& picture,
                      const QString& figures);
    void residualFailed(const QString& sentence);
    void residualBusyChanged(bool isBusy);
    void viewFailed(const QString& sentence);
    void sinogramFailed(const QString& sentence);
    void viewBusyChanged(bool isBusy);
    void sinogramBusyChanged(bool isBusy);

  private:
    struct Queue {
        Background background;
        std::function<void()> waiting;  ///< the newest request that came meanwhile
    };
    static void request(Queue& queue, std::function<void()> start);
    static void startWaiting(Queue& queue);
    static void drop(Queue& queue);
    void startSinogram(Index row, const std::optional<FilterSpec>& filter);

    class Settled;
    class Residuals;

    std::shared_ptr<const OpenScan> m_scan;
    std::shared_ptr<Settled> m_settled;
    std::shared_ptr<const FloatImage> m_sinogram;  ///< line integrals of m_sinogramRow
    Index m_sinogramRow = -1;
    QString m_volume;
    std::shared_ptr<Residuals> m_residuals;
    Background m_residual;
    Queue m_stored;
    Queue m_steps;
    Queue m_sinograms;
};

/// The scan with the corrections that pictures of its views can show; ProjectionsFeed measures the
/// beam's flux itself, because that reads views. opened: null gives null
[[nodiscard]] std::shared_ptr<const OpenScan> asShown(const std::shared_ptr<const OpenScan>& opened,
                                                      const Corrections& corrections);

/// Whether pictures of one are those of the other: it was opened anew after an edit of something
/// that they do not depend on.
[[nodiscard]] bool hasSamePictures(const OpenScan& a, const OpenScan& b);

}  // namespace gantry
