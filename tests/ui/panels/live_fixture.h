#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <filesystem>

#include "core/base/file.h"
#include "core/simulate/simulate_scan.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"
#include "ui/panels/live/live_panel.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// A panel of live slices, and scans of a head for it.
class LivePanelFixture : public testing::Test {
  protected:
    LivePanelFixture() { show(panel, {1200, 800}); }

    // A scan of a head whose file says that the axis is seen `wrongPixels` beside where it is.
    void openScan(double wrongPixels = 0, const char* name = "scan") {
        SimulationSpec spec;
        spec.geometry.cone().sourceToIsocenterMm = 600;
        spec.geometry.cone().sourceToDetectorMm = 1200;
        spec.geometry.cone().views = 120;
        spec.geometry.detector = {.columns = 160, .rows = 96, .pitchMm = {2.5, 2.5}};
        const auto scan = readScanFile(simulateScan(spec, folder / name, false, {}).scanFile);
        ScanFile wrong = scan;
        wrong.geometry.detector.offsetMm[0] = 2.5 * wrongPixels;
        writeFileAtomically(folder / name / "wrong.json", toJson(wrong));
        workspace.scan().open(toText(folder / name / "wrong.json"));
        ASSERT_TRUE(waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    }
    // From now on the volume is that one, whatever the geometry.
    void chooseVolume(const VolumeGrid& grid) {
        Request request = workspace.scan().request();
        request.job.volume = grid;
        request.volumeIsFitted = false;
        workspace.scan().edit(request, "region");
    }
    void start() {
        part<QPushButton>("startLive")->click();
        ASSERT_TRUE(waitUntil([&] { return isFinest(); }))
            << part<QLabel>("liveComplaint")->text().toStdString();
    }
    [[nodiscard]] bool isFinest() const {
        return part<QLabel>("liveState")->text() == "As a reconstruction makes them";
    }
    // Waits until a change has been seen to the end.
    void waitForChange(const GreyImage& before) {
        ASSERT_TRUE(waitUntil(
            [&] { return view(0)->image().pixels.data() != before.pixels.data() && isFinest(); }));
    }
    template <class Part>
    [[nodiscard]] Part* part(const char* name) const {
        return panel.findChild<Part*>(name);
    }
    [[nodiscard]] ImageView* view(int number) const {
        return part<ImageView>(qPrintable(QStringLiteral("live%1").arg(number)));
    }

    TemporaryFolder folder;
    FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    LivePanel panel{workspace};
};

}  // namespace gantry::test
