#pragma once

#include <gtest/gtest.h>

#include <QPoint>
#include <QPushButton>
#include <QTest>
#include <cmath>
#include <functional>

#include "core/simulate/simulate_scan.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/models/text.h"
#include "ui/panels/slices/slices_panel.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

// Odd sizes, another pitch along each axis, off the centre.
inline const VolumeGrid kSlicesGrid{{21, 16, 11}, {0.5, 0.5, 1.25}, {3, -4, 5}};

inline float numbered(Index x, Index y, Index z) {
    return static_cast<float>(x + 100 * y + 10000 * z);
}

// In 1/mm, through all digits of a float, nowhere smooth.
inline float rough(Index x, Index y, Index z) {
    return static_cast<float>(0.02 + 0.001 * std::sin(static_cast<double>(7 * x + 3 * y * z)));
}

/// A slices panel on the screen, and its views.
class SlicesPanelFixture : public testing::Test {
  protected:
    SlicesPanelFixture() { show(panel, {1100, 760}); }

    void openVolume(const VolumeGrid& grid = kSlicesGrid,
                    const std::function<float(Index, Index, Index)>& voxel = numbered,
                    const char* name = "volume.mha") {
        writeVolume(folder / name, grid, voxel);
        const auto before = workspace.volume().volume();
        workspace.volume().open(toText(folder / name));
        ASSERT_TRUE(waitUntil(
            [&] { return workspace.volume().volume() && workspace.volume().volume() != before; }));
    }
    void openScan() {
        SimulationSpec spec;
        spec.geometry.cone().sourceToIsocenterMm = 600;
        spec.geometry.cone().sourceToDetectorMm = 1200;
        spec.geometry.cone().views = 8;
        spec.geometry.detector.columns = 24;
        spec.geometry.detector.rows = 16;
        spec.geometry.detector.pitchMm = {1, 1};
        spec.fieldFrames = 1;
        const auto file = simulateScan(spec, folder / "scan", false, {}).scanFile;
        workspace.scan().open(toText(file));
        ASSERT_TRUE(waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    }
    template <class Widget>
    Widget& find(const char* name) {
        auto* widget = panel.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    static QPoint at(const ImageView& view, double column, double row) {
        return view.viewAt({column, row}).toPoint();
    }
    /// Draws the line of a profile in the axial slice, and waits for its values.
    void drawProfile(QPoint from, QPoint to) {
        axial->setFocus();
        QTest::keyClick(axial, Qt::Key_P);
        drag(*axial, from, to);
        ASSERT_TRUE(waitUntil([&] { return find<QPushButton>("measureSave").isVisible(); }));
    }
    const VolumeGrid& region() { return workspace.scan().request().job.volume; }

    TemporaryFolder folder;
    FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    SlicesPanel panel{workspace};
    ImageView* axial = panel.findChild<ImageView*>("axialView");
    ImageView* coronal = panel.findChild<ImageView*>("coronalView");
    ImageView* sagittal = panel.findChild<ImageView*>("sagittalView");
};

}  // namespace gantry::test
