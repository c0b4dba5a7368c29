#include "ui/workspace/jobs/host_plan.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/remote/scheduler/batch_script.h"
#include "core/remote/transfer/sent_files.h"
#include "ui/models/text.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr int kSoonMs = 150;

std::vector<KnownHost> readKnown(const std::stop_token&) {
    std::vector<KnownHost> known;
    for (const std::string& name : knownHosts()) {
        KnownHost each{QString::fromStdString(name), {}, {}};
        try {
            each.host = findHost(name);
        } catch (const Error& error) {
            each.problem = QString::fromStdString(error.message());
        }
        known.push_back(std::move(each));
    }
    return known;
}

}  // namespace

struct HostPlan::Answer {
    std::optional<HostOrder> order;
    QString script;
    QString problem;
};

HostPlan::HostPlan(ScanDocument& scan, QObject* parent) : QObject(parent), m_scan(scan) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSoonMs);
    connect(&m_soon, &QTimer::timeout, this, &HostPlan::plan);
    connect(&scan, &ScanDocument::requestChanged, this, &HostPlan::planSoon);
    connect(&scan, &ScanDocument::stateChanged, this, &HostPlan::followScan);
    reload();
}

const Host* HostPlan::find(const QString& name) const {
    const auto found = std::ranges::find(m_known, name, &KnownHost::name);
    return found == m_known.end() || !found->host ? nullptr : &*found->host;
}

void HostPlan::reload() {
    m_reading.start(
        readKnown, [this](std::vector<KnownHost> known) { take(std::move(known)); },
        [this](const QString& sentence) {
            m_problem = sentence;
            emit changed();
        });
}

void HostPlan::take(std::vector<KnownHost> known) {
    m_known = std::move(known);
    if (!m_chosen.isEmpty() && !host()) m_chosen.clear();
    if (m_scan.there() && m_chosen.isEmpty()) choose(QString::fromStdString(m_scan.there()->host));
    if (!host()) m_chosen.clear();
    emit knownChanged();
    planSoon();
}

void HostPlan::choose(const QString& name) {
    if (name == m_chosen) return;
    m_chosen = name;
    m_wishes = {};
    m_order.reset();
    m_problem.clear();
    takePlaceOfScan();
    planSoon();
    emit changed();
}

// A path on a host belongs to one scan.
void HostPlan::followScan() {
    planSoon();
    const std::filesystem::path& file = m_scan.request().job.scan.path;
    if (m_scan.state() == ScanDocument::State::opening || file == m_scanFile) return;
    m_scanFile = file;
    if (m_wishes.way == DataWay::there) {
        m_wishes.way.reset();
        m_wishes.placeThere.clear();
    }
    const std::optional<HostScan>& there = m_scan.there();
    if (there && find(QString::fromStdString(there->host)))
        choose(QString::fromStdString(there->host));
    takePlaceOfScan();
    emit changed();
}

void HostPlan::takePlaceOfScan() {
    const std::optional<HostScan>& there = m_scan.there();
    if (!there || there->host != m_chosen.toStdString()) return;
    m_wishes.way = DataWay::there;
    m_wishes.placeThere = there->place;
}

bool HostPlan::takesScanThere() const {
    return host() && m_wishes.way == DataWay::there && !m_wishes.placeThere.empty();
}

void HostPlan::setWishes(const HostWishes& wishes) {
    m_wishes = wishes;
    planSoon();
    emit changed();
}

void HostPlan::planSoon() {
    if (!host()) return;
    m_soon.start();
}

JobSpec HostPlan::specFor(JobSpec spec, const HostOrder& order) {
    // Limits of this machine do not apply to the host, which has engines of its own.
    spec.engine = Engine::automatic;
    spec.memoryBytes = 0;
    spec.deviceMemoryBytes = 0;
    spec.threads = 0;
    spec.ranks = 1;
    if (order.way != DataWay::there || order.wishes.placeThere.empty()) return spec;
    spec.scan.path = order.wishes.placeThere;
    spec.scan.folder = spec.scan.path.parent_path();
    return spec;
}

void HostPlan::plan() {
    const Host* chosen = host();
    const bool isSound = !m_scan.hasErrors() || (takesScanThere() && m_scan.lacksImagesOnly());
    if (!chosen || !m_scan.hasScan() || !isSound) return show({});
    if (m_wishes.way == DataWay::there && m_wishes.placeThere.empty() && !chosen->isHere())
        return show({{}, {}, tr("Say where the scan is on %1, under Scan's files.").arg(m_chosen)});
    m_planning.start(
        [host = *chosen, wishes = m_wishes, spec = m_scan.request().job](const std::stop_token&) {
            const NewJob job = {{}, spec};
            HostOrder order = orderFor(host.name, std::span(&job, 1), wishes);
            if (order.way == DataWay::mapped) (void)asMapped(spec, host);
            const std::string script = batchScript(host, order.resources, "ID");
            return Answer{order, QString::fromStdString(script), {}};
        },
        [this](const Answer& answer) { show(answer); },
        [this](const QString& sentence) {
            show({{}, {}, sentence});
        });
}

void HostPlan::show(const Answer& answer) {
    m_order = answer.order;
    m_madeScript = answer.script;
    m_problem = answer.problem;
    emit changed();
}

}  // namespace gantry
