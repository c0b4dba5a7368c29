#include <gtest/gtest.h>
#include <matio.h>

#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QUndoStack>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/geometry/scan_geometry.h"
#include "core/io/hdf5/hdf5_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {
namespace {

/// The scan of LeapsParametersAreImported as TIGRE's geo and angles.
void writeTigre(const std::filesystem::path& path) {
    prepareHdf5();  // libmatio calls libhdf5
    const auto variable = [](const char* name, std::vector<double> values) {
        std::size_t size[] = {1, values.size()};
        return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, values.data(), 0);
    };
    const std::vector<std::pair<const char*, std::vector<double>>> fields = {
        {"DSD", {1300}}, {"DSO", {650}}, {"nDetector", {24, 16}}, {"dDetector", {10, 9}}};
    std::vector<const char*> names;
    for (const auto& [name, values] : fields)
        names.push_back(name);
    std::size_t one[] = {1, 1};
    matvar_t* geo =
        Mat_VarCreateStruct("geo", 2, one, names.data(), static_cast<unsigned>(names.size()));
    for (const auto& [name, values] : fields)
        Mat_VarSetStructFieldByName(geo, name, 0, variable(nullptr, values));
    std::vector<double> angles;
    for (int s = 0; s < 18; ++s)
        angles.push_back(s * std::numbers::pi / 9);
    mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
    for (matvar_t* each : {geo, variable("angles", angles)}) {
        Mat_VarWrite(file, each, MAT_COMPRESSION_NONE);
        Mat_VarFree(each);
    }
    Mat_Close(file);
}

/// The geometry panel over a real scan of 24 × 16 pixels and 18 views, 600 and 1200 mm.
class GeometryExchangeTest : public testing::Test {
  protected:
    GeometryExchangeTest() {
        m_scan.open(toText(makeScan(m_folder / "scan", smallScan())));
        EXPECT_TRUE(waitUntil([this] { return m_scan.hasScan() && m_scan.inspection(); }));
        show(m_panel, {340, 900});
    }
    void setDistance(double mm) {
        Request request = m_scan.request();
        request.job.scan.geometry.cone().sourceToDetectorMm = mm;
        m_scan.edit(request, "Change SDD");
    }
    [[nodiscard]] QLineEdit& pitchField() {
        return *m_panel.findChild<ScanFieldEditor*>("detector.pitchMm[1]")->findChild<QLineEdit*>();
    }
    /// Clicks on an entry of the menu that a button opens.
    void choose(const char* name, const QString& text) {
        auto* menu = m_panel.findChild<QMenu*>(name);
        menu->popup(m_panel.mapToGlobal(QPoint(0, 0)));
        for (QAction* action : menu->actions())
            if (action->text() == text)
                return QTest::mouseClick(menu, Qt::LeftButton, {},
                                         menu->actionGeometry(action).center());
        FAIL() << "no entry " << text.toStdString();
    }
    void importByClicks(const QString& path) {
        choose("exchangeMenu", "Import geometry…");
        chooseFile(m_panel, "importDialog", path);
    }
    [[nodiscard]] bool isNear(double sourceToDetectorMm) {
        // What a file's decimals leave of it.
        constexpr double kMm = 1e-6;
        const ScanGeometry& geometry = m_scan.geometry();
        if (!geometry.isCone() && !geometry.poses()) return false;
        const ViewPose pose = viewPose(geometry, 0);
        return std::abs(length(pose.detectorCenterMm - pose.sourceMm) - sourceToDetectorMm) < kMm;
    }

    TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    ScanDocument& m_scan = m_workspace.scan();
    GeometryPanel m_panel{m_workspace};
};

// A table of poses stays one; the others become the circle that they are.
TEST_F(GeometryExchangeTest, AGeometryIsExportedAndImported) {
    for (const char* name : {"geometry.xml", "vectors.txt", "poses.csv"}) {
        SCOPED_TRACE(name);
        const QString path = toText(m_folder / name);
        setDistance(1300);
        choose("exchangeMenu", "Export geometry…");
        chooseFile(m_panel, "exportDialog", path);
        ASSERT_TRUE(waitUntil([&] { return QFile::exists(path); }));
        m_scan.undoStack().undo();
        ASSERT_EQ(m_scan.geometry().cone().sourceToDetectorMm, 1200);
        importByClicks(path);
        EXPECT_TRUE(waitUntil([&] { return isNear(1300); }));
        EXPECT_EQ(m_scan.geometry().views(), 18);
        EXPECT_EQ(m_scan.geometry().isCone(), !path.endsWith(".csv"));
        m_scan.undoStack().undo();
    }
}

TEST_F(GeometryExchangeTest, LeapsParametersAreImported) {
    const auto file = m_folder / "leap.txt";
    writeFileAtomically(file,
                        "# CT geometry parameters\ngeometry = cone\nnumAngles = 18\n"
                        "numRows = 16\nnumCols = 24\npixelHeight = 9\npixelWidth = 10\n"
                        "centerRow = 7.5\ncenterCol = 11.5\nangularRange = 360\n"
                        "sod = 650\nsdd = 1300\ntau = 0\ntiltAngle = 0\n"
                        "helicalPitch = 0\n");
    importByClicks(toText(file));
    ASSERT_TRUE(waitUntil([&] { return isNear(1300); }));
    EXPECT_EQ(m_scan.undoStack().undoText(), "Import LEAP parameters");
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[1], 9);
    EXPECT_TRUE(waitUntil([&] { return pitchField().text() == "9"; }));
}

TEST_F(GeometryExchangeTest, TigresGeometryIsImported) {
    const auto file = m_folder / "tigre.mat";
    writeTigre(file);
    importByClicks(toText(file));
    ASSERT_TRUE(waitUntil([&] { return isNear(1300); }));
    EXPECT_EQ(m_scan.undoStack().undoText(), "Import TIGRE geometry");
    EXPECT_EQ(m_scan.geometry().detector.pitchMm[1], 9);
    EXPECT_TRUE(waitUntil([&] { return pitchField().text() == "9"; }));
}

}  // namespace
}  // namespace gantry::test
