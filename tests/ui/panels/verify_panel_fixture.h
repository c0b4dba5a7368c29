#pragma once

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QTest>

#include "core/simulate/simulate_scan.h"
#include "core/verify/verification.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/text.h"
#include "ui/panels/verify/verify_panel.h"
#include "ui/widgets/image/image_view.h"
#include "ui/workspace/workspace.h"

namespace gantry::test {

/// The panel of verification in a window, as an operator uses it.
class VerifyPanelTest : public testing::Test {
  protected:
    VerifyPanelTest() { show(panel, {1000, 720}); }

    void openScan(Index pixels = 112) {
        SimulationSpec spec;
        spec.geometry.cone().sourceToIsocenterMm = 600;
        spec.geometry.cone().sourceToDetectorMm = 1200;
        spec.geometry.cone().views = 90;
        spec.geometry.detector = {
            .columns = pixels, .rows = pixels - 8, .pitchMm = {2.5, 2.5}, .offsetMm = {1, 0}};
        spec.kind = ProjectionKind::attenuation;
        const auto file = simulateScan(spec, folder / "scan", false, {}).scanFile;
        workspace.scan().open(toText(file));
        ASSERT_TRUE(waitUntil([&] { return workspace.scan().openScan() != nullptr; }));
    }
    void verify() {
        QTest::mouseClick(part<QPushButton>("startVerify"), Qt::LeftButton);
        ASSERT_TRUE(part<QPushButton>("cancelVerify")->isVisible());
        ASSERT_TRUE(waitUntil([&] { return part<QPushButton>("startVerify")->isEnabled(); }));
        ASSERT_GT(figures()->rowCount(), 0) << verdict().toStdString();
        ASSERT_TRUE(waitUntil([&] { return !view(1)->image().isEmpty(); }));
    }
    template <class Part>
    [[nodiscard]] Part* part(const char* name) const {
        return panel.findChild<Part*>(name);
    }
    [[nodiscard]] ImageView* view(int number) const {
        return part<ImageView>(qPrintable(QStringLiteral("verify%1").arg(number)));
    }
    /// The value in the table's row of that name.
    [[nodiscard]] QString textOf(const QString& name) const {
        for (int row = 0; row < figures()->rowCount(); ++row)
            if (figures()->item(row, 0)->text().endsWith(name))
                return figures()->item(row, 1)->text();
        return {};
    }
    [[nodiscard]] double figureOf(const QString& name) const { return numberIn(textOf(name)); }
    static double numberIn(const QString& text) {
        static const QRegularExpression number(QStringLiteral("-?[0-9]+(\\.[0-9]+)?"));
        return number.match(text).captured().toDouble();
    }
    /// The rows are those of `gantry verify`, to the last digit.
    void expectFiguresOf(const QStringList& arguments) const {
        QProcess command;
        command.start(machine.program(), QStringList{"verify", "--json"} + arguments);
        ASSERT_TRUE(command.waitForFinished());
        const Verification printed =
            parseVerification(command.readAllStandardOutput().toStdString());
        const auto rows = figureTable(printed.figures);
        ASSERT_EQ(figures()->rowCount(), static_cast<int>(rows.size()) - 1);
        for (int row = 0; row < figures()->rowCount(); ++row) {
            const auto& expected = rows[static_cast<std::size_t>(row) + 1];
            EXPECT_EQ(figures()->item(row, 0)->text().toStdString(), expected[0]);
            EXPECT_EQ(figures()->item(row, 1)->text().toStdString(), expected[1]);
            EXPECT_TRUE(figures()->item(row, 2)->text().toStdString().starts_with(expected[2]));
        }
        EXPECT_TRUE(verdict().contains(QString::fromStdString(printed.verdict())))
            << verdict().toStdString();
        for (const std::string& sentence : printed.sentences)
            EXPECT_TRUE(verdict().contains(QString::fromStdString(sentence)));
    }
    /// Answers the dialog of that name, once it is there.
    void choose(const char* dialogName, const std::filesystem::path& path) {
        QFileDialog* dialog = nullptr;
        ASSERT_TRUE(waitUntil([&] {
            dialog = part<QFileDialog>(dialogName);
            return dialog && dialog->isVisible();
        }));
        emit dialog->fileSelected(toText(path));
        dialog->close();
    }
    /// Saves the report in a file, and waits for it.
    void save(const std::filesystem::path& file) {
        QTest::mouseClick(part<QPushButton>("saveVerification"), Qt::LeftButton);
        choose("verificationDialog", file);
        ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(file); }));
    }
    [[nodiscard]] QTableWidget* figures() const { return part<QTableWidget>("verifyFigures"); }
    [[nodiscard]] QString verdict() const { return part<QLabel>("verifyVerdict")->text(); }

    TemporaryFolder folder;
    FakeMachine machine;
    Workspace workspace{machine.machine(), machine.program()};
    VerifyPanel panel{workspace};
};

}  // namespace gantry::test
