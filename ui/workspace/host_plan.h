#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/remote/host.h"
#include "ui/workspace/background.h"
#include "ui/workspace/host_jobs.h"

namespace gantry {

class ScanDocument;

/// A host of this user; without its content where its file is damaged.
struct KnownHost {
    QString name;
    std::optional<Host> host;
    QString problem;
};

/// What the operator wants of the host; the rest follows from its file and the forecast.
struct HostWishes {
    int nodes = 0;                 ///< 0: by the forecast
    int minutes = 0;               ///< 0: by the forecast
    std::optional<DataWay> way{};  ///< none: usualWay()
    QString placeThere{};          ///< the scan's file on the host, where the way is `there`
    BringBack bring = BringBack::volume;
    QString script{};  ///< edited by hand; empty: as it is made
};

/// Which host the next job goes to, if any, and what is asked of it, after every edit of the scan's
/// request; with the list of this user's hosts. A scan that was brought from a host chooses that.
/// Files are read and forecasts made in the background. GUI thread only. Tests:
/// tests/ui/workspace/host_plan_test.cpp
class HostPlan : public QObject {
    Q_OBJECT

  public:
    explicit HostPlan(ScanDocument& scan, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<KnownHost>& known() const { return m_known; }
    [[nodiscard]] const Host* find(const QString& name) const;
    /// Reads the hosts' files again.
    void reload();

    /// A host's name; empty: this machine.
    [[nodiscard]] const QString& chosen() const { return m_chosen; }
    [[nodiscard]] const Host* host() const { return find(m_chosen); }
    void choose(const QString& name);
    [[nodiscard]] const HostWishes& wishes() const { return m_wishes; }
    void setWishes(const HostWishes& wishes);

    /// The scan is taken from where it lies on the host: it need not be here.
    [[nodiscard]] bool takesScanThere() const;

    /// What the job asks for, of the request as it is now; none: see problem(), or not yet known.
    [[nodiscard]] const std::optional<HostOrder>& order() const { return m_order; }
    /// The script that is made, whatever was edited.
    [[nodiscard]] const QString& madeScript() const { return m_madeScript; }
    /// Why the job cannot go there; empty: it can, or that is not known yet.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] bool isPlanning() const { return m_soon.isActive() || m_planning.isBusy(); }
    /// The request as the host is to have it. order: order()
    [[nodiscard]] JobSpec specFor(JobSpec spec, const HostOrder& order) const;

  signals:
    void knownChanged();
    void changed();  ///< the choice, its wishes, or what follows from them

  private:
    struct Answer;
    void take(std::vector<KnownHost> known);
    void planSoon();
    void plan();
    void followScan();
    void takePlaceOfScan();
    void show(const Answer& answer);

    ScanDocument& m_scan;
    std::vector<KnownHost> m_known;
    QString m_chosen;
    std::filesystem::path m_scanFile;  // of the scan that the wishes are for
    HostWishes m_wishes;
    std::optional<HostOrder> m_order;
    QString m_madeScript;
    QString m_problem;
    QTimer m_soon;
    Background m_reading;
    Background m_planning;
};

}  // namespace gantry
