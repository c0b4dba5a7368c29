#include "app/cli/desktop.h"

#include "core/base/error.h"
#if GANTRY_DESKTOP
#include "app/bench/child.h"
#include "app/bench/run_bench.h"
#include "ui/desktop/desktop.h"
#include "ui/desktop/desktop_bench.h"
#include "ui/desktop/display.h"
#endif

namespace gantry {

#if GANTRY_DESKTOP

bool canShowDesktop() {
    return hasDisplay();
}

int showDesktop(Session& session, const std::optional<std::filesystem::path>& open) {
    return runDesktop(machineWithoutGpus(), programPath(), open, session.stop());
}

DesktopFigures measureDesktop(Session& session, const std::filesystem::path& folder, Index spans) {
    DesktopBench bench(machineWithoutGpus(), programPath());
    DesktopFigures figures;
    figures.firstWindowSeconds = bench.firstWindowSeconds();
    const BenchJob job(BenchProblem{512, 360, 256}, folder, spans, session.stop());
    figures.firstProjectionSeconds = bench.firstProjectionSeconds(job.scan());
    const DesktopBench::Live live = bench.liveSlices();
    figures.liveFirstSeconds = live.firstSeconds;
    figures.liveTrueSeconds = live.trueSeconds;
    figures.liveStallMs = live.stallMs;
    const DesktopBench::Timeline timeline = bench.timeline(job.folder());
    figures.timelineReadSeconds = timeline.readSeconds;
    figures.panFramesPerSecond = timeline.panFramesPerSecond;
    figures.zoomFramesPerSecond = timeline.zoomFramesPerSecond;
    figures.longestStallMs = bench.longestStallMs();
    return figures;
}

#else

namespace {

constexpr const char* kNone =
    "This build of Gantry has no desktop: Qt 6 and VTK were not there when it was built. The "
    "command line does everything else; see gantry --help.";

}  // namespace

bool canShowDesktop() {
    return false;
}

int showDesktop(Session&, const std::optional<std::filesystem::path>&) {
    throw InputError(kNone);
}

DesktopFigures measureDesktop(Session&, const std::filesystem::path&, Index) {
    throw InputError(kNone);
}

#endif

}  // namespace gantry
