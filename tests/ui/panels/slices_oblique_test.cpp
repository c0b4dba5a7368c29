// The oblique slice of the slices panel, by real events.
#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "core/io/volume/read_volume.h"
#include "tests/ui/panels/slices_fixture.h"
#include "ui/models/image/plane_raster.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/widgets/fields/number_field.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::waitUntil;

const VolumeGrid kCube{{61, 61, 61}, {0.1, 0.1, 0.1}, {1, 2, 3}};

// Linear in mm, so that every oblique value is known.
float rampAt(Vec3 mm) {
    return static_cast<float>(0.3 + 0.01 * mm.x + 0.02 * mm.y - 0.03 * mm.z);
}

float rampVoxel(Index x, Index y, Index z) {
    return rampAt(
        kCube.positionMm(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)));
}

class SlicesObliqueTest : public test::SlicesPanelFixture {
  protected:
    void showOblique() {
        openVolume(kCube, rampVoxel);
        axial->setFocus();
        QTest::keyClick(axial, Qt::Key_O);
        ASSERT_TRUE(waitForText("turned 0.0°, tilted 0.0°"));
    }
    bool waitForText(const char* text) {
        return waitUntil([&] { return oblique->corner().contains(QString::fromUtf8(text)); });
    }
    double turn() { return find<NumberField>("obliqueTurn").value(); }
    double tilt() { return find<NumberField>("obliqueTilt").value(); }
    void type(const char* field, const char* text) {
        auto* edit = find<NumberField>(field).findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    // A handle: 0.35 of the view's shorter side from the cross-hair, by its angle from upright.
    QPoint handle(const ImageView& view, double degreesToTheRight) {
        const Vec3 mm = workspace.selection().crossHairMm();
        const VoxelIndex voxel = nearestVoxel(kCube, mm);
        const QPointF middle = view.viewAt(
            {static_cast<double>(voxel[0]), static_cast<double>(voxel[&view == axial ? 1 : 2])});
        const double reach = 0.35 * std::min(view.width(), view.height());
        const double angle = radians(degreesToTheRight);
        return (middle + reach * QPointF(std::sin(angle), -std::cos(angle))).toPoint();
    }

    ImageView* oblique = panel.findChild<ImageView*>("obliqueView");
};

TEST_F(SlicesObliqueTest, TakesTheSagittalPlaceAndShowsTheSameAtFirst) {
    openVolume();
    EXPECT_FALSE(oblique->isVisible());
    EXPECT_FALSE(find<QWidget>("obliqueFields").isVisible());
    QTest::mouseClick(&find<QToolButton>("obliqueToggle"), Qt::LeftButton);
    ASSERT_TRUE(oblique->isVisible());
    EXPECT_FALSE(sagittal->isVisible());
    EXPECT_TRUE(find<QWidget>("obliqueFields").isVisible());
    ASSERT_TRUE(waitUntil([&] { return !oblique->image().isEmpty(); }));
    const GreyImage& image = oblique->image();
    ASSERT_EQ(image.columns, sagittal->image().columns);
    ASSERT_EQ(image.rows, sagittal->image().rows);
    for (Index row = 0; row < image.rows; ++row)
        for (Index column = 0; column < image.columns; ++column)
            EXPECT_FLOAT_EQ(image.at(column, row), sagittal->image().at(column, row));
    QTest::keyClick(axial, Qt::Key_O);
    EXPECT_TRUE(sagittal->isVisible());
    EXPECT_FALSE(oblique->isVisible());
}

TEST_F(SlicesObliqueTest, ItsHandlesTurnAndTiltItAndCtrlZTakesItBack) {
    showOblique();
    test::drag(*axial, handle(*axial, 0), handle(*axial, -30));
    ASSERT_TRUE(waitForText("turned 30."));
    // A pixel of a lever of a hundred and more is half a degree.
    EXPECT_NEAR(turn(), 30, 0.5);
    EXPECT_EQ(tilt(), 0);
    const double turned = turn();
    test::drag(*coronal, handle(*coronal, 0), handle(*coronal, 20));
    // Seen from the front, the line of a turned plane leans the more.
    const double leaning = degrees(std::atan(std::cos(radians(turned)) * std::tan(radians(20))));
    EXPECT_NEAR(tilt(), leaning, 0.5);
    EXPECT_EQ(turn(), turned);
    ASSERT_TRUE(waitUntil([&] {
        return oblique->corner().contains(QString::number(tilt(), 'f', 1)) &&
               !oblique->image().isEmpty();
    }));
    test::screenshots(panel, "slices-oblique");
    // The lower handle, in steps of 15°.
    test::drag(*coronal, handle(*coronal, 200), handle(*coronal, 178), Qt::LeftButton,
               Qt::ShiftModifier);
    EXPECT_EQ(tilt(), 0);

    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NEAR(tilt(), leaning, 0.5);
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(tilt(), 0);
    EXPECT_EQ(turn(), turned);
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_NEAR(tilt(), leaning, 0.5);
    QTest::mouseClick(&find<QPushButton>("obliqueReset"), Qt::LeftButton);
    ASSERT_TRUE(waitForText("turned 0.0°, tilted 0.0°"));
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(turn(), turned);
}

TEST_F(SlicesObliqueTest, ValuesAreThoseOfTheVolumeWhereverThePlaneLies) {
    showOblique();
    type("obliqueTurn", "33");
    type("obliqueTilt", "-21.5");
    ASSERT_TRUE(waitForText("turned 33.0°, tilted −21.5°"));
    const PlaneRaster raster = obliqueRaster(kCube, {33, -21.5}, {1, 2, 3});
    int compared = 0;
    for (Index row = 0; row < raster.rows; ++row)
        for (Index column = 0; column < raster.columns; ++column) {
            const Vec3 mm = raster.placeMm({static_cast<double>(column), static_cast<double>(row)});
            const Vec3 off = mm - Vec3{1, 2, 3};
            if (std::max({std::abs(off.x), std::abs(off.y), std::abs(off.z)}) > 3) continue;
            ++compared;
            // Floats of 0.3 round by 3e-8, and trilinear samples of a ramp are exact.
            ASSERT_NEAR(oblique->image().at(column, row), rampAt(mm), 1e-7);
        }
    EXPECT_GT(compared, 3000);

    // The cross-hair moves within the plane, and the wheel moves the plane.
    const GreyImage before = oblique->image();
    QTest::mouseClick(oblique, Qt::LeftButton, Qt::NoModifier, oblique->viewAt({40, 38}).toPoint());
    const Vec3 there = workspace.selection().crossHairMm();
    EXPECT_GT(length(there - Vec3{1, 2, 3}), 0.5);
    EXPECT_NEAR(raster.slicesTo(there), 0, 1e-6);
    EXPECT_EQ(oblique->image().pixels.data(), before.pixels.data());
    test::wheel(*oblique, {50, 50}, 5);
    EXPECT_NEAR(raster.slicesTo(workspace.selection().crossHairMm()), 5, 1e-6);
    ASSERT_TRUE(waitUntil([&] { return oblique->image().pixels.data() != before.pixels.data(); }));
    // Out of the volume there is nothing to go to.
    test::wheel(*oblique, {50, 50}, 1000);
    EXPECT_NEAR(raster.slicesTo(workspace.selection().crossHairMm()), 5, 1e-6);
}

TEST_F(SlicesObliqueTest, TheZoomIsKeptWhileItIsTurned) {
    showOblique();
    const QPoint middle = oblique->rect().center();
    test::wheel(*oblique, middle, 6, Qt::ControlModifier);
    const double zoom = oblique->screenPixelsPerColumn();
    const QPointF crossHair = oblique->viewAt({30, 30});
    type("obliqueTurn", "40");
    ASSERT_TRUE(waitForText("turned 40.0°"));
    EXPECT_DOUBLE_EQ(oblique->screenPixelsPerColumn(), zoom);
    const QPointF now =
        oblique->viewAt(obliqueRaster(kCube, {40, 0}, {1, 2, 3}).pixelOf({1, 2, 3}));
    EXPECT_NEAR(now.x(), crossHair.x(), 1e-6);
    EXPECT_NEAR(now.y(), crossHair.y(), 1e-6);
}

TEST_F(SlicesObliqueTest, LengthsAndProfilesAreMeasuredInIt) {
    showOblique();
    type("obliqueTurn", "45");
    ASSERT_TRUE(waitForText("turned 45.0°"));
    oblique->setFocus();
    QTest::keyClick(oblique, Qt::Key_D);
    const QPoint from = at(*oblique, 10, 10);
    const QPoint to = at(*oblique, 60, 40);
    test::drag(*oblique, from, to);
    const QPointF pixels = oblique->pixelAt(to) - oblique->pixelAt(from);
    EXPECT_EQ(find<QLabel>("measureFigures").text(),
              lengthText(0.1 * std::hypot(pixels.x(), pixels.y())));
    QTest::keyClick(oblique, Qt::Key_P);
    test::drag(*oblique, at(*oblique, 30, 10), at(*oblique, 60, 50));
    ASSERT_TRUE(waitUntil([&] { return find<QPushButton>("measureSave").isVisible(); }));
    test::screenshots(panel, "slices-oblique-profile");
    // A region is a box along the axes: here the button moves the cross-hair.
    QTest::keyClick(oblique, Qt::Key_R);
    const Vec3 before = workspace.selection().crossHairMm();
    QTest::mouseClick(oblique, Qt::LeftButton, Qt::NoModifier, at(*oblique, 20, 20));
    EXPECT_NE(workspace.selection().crossHairMm(), before);
}

TEST_F(SlicesObliqueTest, ASlabOfItAndItsFiles) {
    showOblique();
    type("obliqueTilt", "90");  // axial, its lower part in front
    find<QComboBox>("slabKind").setCurrentText("Maximum");
    type("slabThickness", "0.5");
    ASSERT_TRUE(waitForText("maximum of 5 slices, 0.5 mm"));
    // The ramp falls by 0.003 a slice along z: the largest is two slices below. A busy machine
    // shows it coarsely at first.
    ASSERT_TRUE(waitUntil([&] {
        return std::abs(oblique->image().at(30, 30) - rampAt({1, 2, 2.8})) < 1e-6;
    })) << oblique->image().at(30, 30);
    oblique->setFocus();
    find<QAction>("saveSliceValues").trigger();
    auto* dialog = panel.window()->findChild<QFileDialog*>("sliceSaveDialog");
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->selectedFiles().value(0).endsWith("volume oblique.tif"));
    const auto path = folder / "schräg.tif";
    emit dialog->fileSelected(toText(path));
    dialog->close();
    ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(path); }));
    const Volume saved = readVolume(path);
    EXPECT_EQ(saved.grid.voxels, (std::array<Index, 3>{61, 61, 1}));
    EXPECT_NEAR(saved.grid.pitchMm[0], 0.1, 1e-6);
    EXPECT_EQ(saved.span()(0, 30, 30), oblique->image().at(30, 30));
}

TEST_F(SlicesObliqueTest, WhatTakesLongerThanAFrameIsCoarseAtFirst) {
    // A slab of all of it: 200³ samples and more take longer, on any machine.
    openVolume({{200, 200, 200}, {0.1, 0.1, 0.1}, {}}, [](Index x, Index y, Index z) {
        return static_cast<float>((x + 2 * y + 3 * z) % 7);
    });
    QTest::mouseClick(&find<QToolButton>("obliqueToggle"), Qt::LeftButton);
    find<QComboBox>("slabKind").setCurrentText("Mean");
    type("slabThickness", "20");
    ASSERT_TRUE(waitForText("mean of 200 slices"));
    auto& view = find<ObliqueView>("oblique");
    std::vector<bool> isCoarse;
    SlicePicture first;
    QObject::connect(&view, &ObliqueView::rasterChanged, &view, [&] {
        const GreyImage& image = oblique->image();
        // In blocks of two pixels and more, half of all neighbours are of one block.
        int same = 0;
        for (Index row = 60; row < 124; ++row)
            same += image.at(image.columns / 2, row) == image.at(image.columns / 2, row + 1);
        isCoarse.push_back(same >= 24);
        if (isCoarse.size() == 1) first = view.picture();
    });
    type("obliqueTurn", "37");
    ASSERT_TRUE(waitForText("turned 37.0°"));
    ASSERT_TRUE(waitUntil([&] { return !isCoarse.empty() && !isCoarse.back(); }));
    EXPECT_TRUE(isCoarse.front());
    EXPECT_GE(isCoarse.size(), 2U);
    // What is saved has every pixel.
    EXPECT_TRUE(first.finer);
    EXPECT_FALSE(view.picture().finer);
}

}  // namespace
}  // namespace gantry
