#include "ui/desktop/bench/desktop_bench.h"

#include <unistd.h>

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSlider>
#include <QTabWidget>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/this_machine.h"
#include "ui/desktop/bench/stall_watch.h"
#include "ui/desktop/bench/turning_bench.h"
#include "ui/desktop/desktop.h"
#include "ui/desktop/window/main_window.h"
#include "ui/models/image/slice_images.h"
#include "ui/models/text.h"
#include "ui/panels/live/live_panel.h"
#include "ui/panels/slices/slices_panel.h"
#include "ui/panels/timeline/timeline_view.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/scene/graphics.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// Seconds since this process was started, by the kernel's clock (in steps of 10 ms).
double secondsSinceStart() {
    std::ifstream file("/proc/self/stat");
    std::string text;
    std::getline(file, text);
    // The second field is the program's name in brackets; the start is the 22nd.
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string field;
    for (int i = 3; i < 22; ++i)
        rest >> field;
    double startTicks = 0;
    rest >> startTicks;
    std::timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
           startTicks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

struct DesktopBench::Parts {
    int count = 1;
    std::string name = "gantry";
    std::array<char*, 2> words = {name.data(), nullptr};
    QApplication application{count, words.data()};
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<MainWindow> window;
    StallWatch watch;
    double firstWindow = 0;
};

DesktopBench::DesktopBench(Machine machine, const std::filesystem::path& program) {
    requireDisplay();
    prepareGraphics();
    m_parts = std::make_unique<Parts>();
    QCoreApplication::setOrganizationName("Gantry");
    QCoreApplication::setApplicationName("gantry-bench");
    applyTheme(m_parts->application, ThemeKind::dark);
    m_parts->workspace = std::make_unique<Workspace>(std::move(machine), toText(program));
    m_parts->window = std::make_unique<MainWindow>(*m_parts->workspace);
    m_parts->window->show();
    waitUntil([this] { return m_parts->window->windowHandle()->isExposed(); }, "the window");
    m_parts->window->repaint();
    m_parts->firstWindow = secondsSinceStart();
    m_parts->watch.start();
}

DesktopBench::~DesktopBench() {
    m_parts->window.reset();
    m_parts->workspace.reset();
    QSettings().clear();
}

double DesktopBench::firstWindowSeconds() const {
    return m_parts->firstWindow;
}

double DesktopBench::firstProjectionSeconds(const std::filesystem::path& scan) {
    QElapsedTimer passed;
    passed.start();
    m_parts->watch.skip();
    m_parts->workspace->open(toText(scan));
    const auto* view = m_parts->window->findChild<ImageView*>("rawView");
    waitUntil([&] { return !view->image().isEmpty() && view->isVisible(); },
              "the first projection");
    m_parts->window->repaint();
    const double seconds = 1e-3 * static_cast<double>(passed.elapsed());
    // Waits for the work that follows automatically: corrected and filtered images, statistics, the
    // drawing, the forecast.
    passed.start();
    waitUntil([&] { return passed.elapsed() > 3000; }, "the end");
    return seconds;
}

namespace {

// If live slices have ended, reports why instead of waiting in vain.
void waitForLive(const LivePanel& panel, const ImageView& view,
                 const std::function<bool()>& condition, const std::string& what) {
    const auto text = [&panel](const char* name) {
        return panel.findChild<QLabel*>(name)->text().toStdString();
    };
    const auto hasEnded = [&] { return !view.isVisible() && !text("liveComplaint").empty(); };
    try {
        waitUntil([&] { return condition() || hasEnded(); }, what);
    } catch (const InputError& error) {
        throw InputError(std::string(error.what()) + "; the slices say: " + text("liveState"));
    }
    if (!condition()) throw ResourceError(what + ": " + text("liveComplaint"));
}

}  // namespace

DesktopBench::Live DesktopBench::liveSlices() {
    constexpr int kSteps = 15;
    QWidget& window = *m_parts->window;
    auto* panel = window.findChild<LivePanel*>();
    window.findChild<QTabWidget*>()->setCurrentWidget(panel);
    waitUntil([this] { return !m_parts->workspace->isLookingForGpus(); }, "the machine's GPUs");
    window.findChild<QPushButton*>("startLive")->click();
    const auto* view = window.findChild<ImageView*>("live0");
    // A GPU may show these before any others.
    const auto areFinal = [&] { return panel->slices().areFinal; };
    const auto waitFor = [&](const std::function<bool()>& condition, const std::string& what) {
        waitForLive(*panel, *view, condition, what);
    };
    waitFor([&] { return view->isVisible(); }, "the first live slices");
    waitFor(areFinal, "the last live slices");
    auto* slider = window.findChild<QSlider*>("parameterSlider");
    StallWatch watch;
    watch.start();
    std::vector<double> first;
    std::vector<double> last;
    for (int i = 1; i <= kSteps; ++i) {
        // Kept alive, so that none of the next images can get its address.
        const GreyImage before = view->image();
        const std::string step = " of step " + std::to_string(i) + " of the centre";
        QElapsedTimer passed;
        passed.start();
        slider->setValue(i);
        waitFor([&] { return view->image().pixels.data() != before.pixels.data(); },
                "new pictures" + step);
        first.push_back(1e-3 * static_cast<double>(passed.elapsed()));
        waitFor(areFinal, "the last pictures" + step);
        last.push_back(1e-3 * static_cast<double>(passed.elapsed()));
    }
    watch.stop();
    std::ranges::sort(first);
    std::ranges::sort(last);
    const bool isOnGpu = panel->slices().areOfGpu;
    window.findChild<QPushButton*>("stopLive")->click();
    return {first[kSteps / 2], last[kSteps / 2], watch.longestMs(), isOnGpu};
}

DesktopBench::Timeline DesktopBench::timeline(const std::filesystem::path& job) {
    constexpr int kFrames = 200;
    Timeline figures;
    QElapsedTimer passed;
    passed.start();
    m_parts->watch.skip();
    auto* view = m_parts->window->findChild<TimelineView*>("timelineView");
    const auto shownNs = [&] { return view->axis().range(view->width()).lengthNs(); };
    const std::int64_t empty = shownNs();
    m_parts->workspace->open(toText(job));
    // Reading continues in steps: it is complete when the count no longer grows.
    std::int64_t before = -1;
    QElapsedTimer unchanged;
    waitUntil(
        [&] {
            if (shownNs() != before) unchanged.start();
            before = shownNs();
            return before != empty && unchanged.elapsed() > 1000;
        },
        "the timeline");
    view->repaint();
    figures.readSeconds = 1e-3 * static_cast<double>(passed.elapsed() - unchanged.elapsed());
    m_parts->watch.stop();

    view->zoomBy(20, view->width() / 2.0);
    passed.start();
    for (int i = 0; i < kFrames; ++i) {
        view->panBy(i < kFrames / 2 ? 37 : -37);
        view->repaint();
    }
    figures.panFramesPerSecond = 1e3 * kFrames / static_cast<double>(passed.elapsed());
    view->fit();
    passed.start();
    for (int i = 0; i < kFrames; ++i) {
        view->zoomBy(i < kFrames / 2 ? 1.1 : 1 / 1.1, view->width() / 3.0);
        view->repaint();
    }
    figures.zoomFramesPerSecond = 1e3 * kFrames / static_cast<double>(passed.elapsed());
    return figures;
}

LargeVolume DesktopBench::largeVolume(const std::filesystem::path& path, const Vec3& placeMm) {
    constexpr int kZoomSteps = 40;
    LargeVolume figures;
    VolumeDocument& document = m_parts->workspace->volume();
    auto* panel = m_parts->window->findChild<SlicesPanel*>();
    m_parts->window->findChild<QTabWidget*>("tabs")->setCurrentWidget(panel);
    auto* view = panel->findChild<ImageView*>("axialView");
    // Resets the peak of memory (proc(5)); if that fails, the figure includes earlier use.
    std::ofstream("/proc/self/clear_refs") << 5;
    const Index before = peakResidentBytes();
    const auto opened = document.volume();
    QElapsedTimer passed;
    passed.start();
    m_parts->workspace->open(toText(path));
    waitUntil([&] { return document.volume() && document.volume() != opened; }, "a large volume");
    waitUntil([&] { return !view->image().isEmpty(); }, "the large volume's slices");
    m_parts->window->repaint();
    figures.shownSeconds = 1e-3 * static_cast<double>(passed.elapsed());
    document.cancelOpening();  // the finer overview that memory allows

    passed.start();
    m_parts->workspace->selection().setCrossHairMm(placeMm);
    const VolumeGrid& grid = document.volume()->grid;
    const QPointF pixel(indexAt(grid, 0, placeMm.x), indexAt(grid, 1, placeMm.y));
    for (int i = 0; i < kZoomSteps; ++i) {
        const QPointF at = view->viewAt(pixel);
        QWheelEvent event(at, view->mapToGlobal(at), {}, {0, 120}, {}, Qt::ControlModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view, &event);
    }
    waitUntil([&] { return view->valueAtPixel(pixel) > 0; }, "the voxels of the large volume");
    m_parts->window->repaint();
    figures.detailSeconds = 1e-3 * static_cast<double>(passed.elapsed());
    figures.memoryBytes = peakResidentBytes() - before;
    return figures;
}

DesktopBench::Volume DesktopBench::volume(const std::filesystem::path& path) {
    Volume figures;
    auto* tabs = m_parts->window->findChild<QTabWidget*>("tabs");
    auto* view = m_parts->window->findChild<VolumeRendering*>("volumeRendering");
    QElapsedTimer passed;
    passed.start();
    const auto before = m_parts->workspace->volume().volume();
    m_parts->workspace->open(toText(path));
    waitUntil([&] { return m_parts->workspace->volume().volume() != before; }, "the volume");
    tabs->setCurrentWidget(m_parts->window->findChild<VolumePanel*>());
    waitUntil([&] { return view->isFinished(); }, "the volume in 3D");
    figures.shownSeconds = 1e-3 * static_cast<double>(passed.elapsed());

    const Turning turning = turned(*view);
    figures.movingMs = turning.movingMs;
    figures.fineMs = turning.fineMs;
    return figures;
}

double DesktopBench::longestStallMs() const {
    return m_parts->watch.longestMs();
}

}  // namespace gantry
