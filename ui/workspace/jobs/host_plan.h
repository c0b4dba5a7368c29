#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/remote/host/host.h"
#include "ui/workspace/background/background.h"
#include "ui/workspace/jobs/host_jobs.h"

namespace gantry {

class ScanDocument;

/// A host of this user; without content if its file is damaged.
struct KnownHost {
    QString name;
    std::optional<Host> host;
    QString problem;
};

/// The host for the next job, if any, and the resources to request, updated after every edit of the
/// scan's request; with the list of this user's hosts. A scan that was fetched from a host selects
/// that host. Files are read and forecasts made in the background. GUI thread only. Tests:
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

    /// Whether the scan is read where it is on the host, so that it need not be here.
    [[nodiscard]] bool takesScanThere() const;

    /// The resources for the current request; none: see problem(), or not known yet.
    [[nodiscard]] const std::optional<HostOrder>& order() const { return m_order; }
    /// The generated script, ignoring edits.
    [[nodiscard]] const QString& madeScript() const { return m_madeScript; }
    /// Why the job cannot run there; empty: it can, or that is not known yet.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] bool isPlanning() const { return m_soon.isActive() || m_planning.isBusy(); }
    /// The request in the form for the host. order: order()
    [[nodiscard]] static JobSpec specFor(JobSpec spec, const HostOrder& order);

  signals:
    void knownChanged();
    void changed();  ///< the choice, its settings, or what follows from them

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
