#include "ui/panels/shared/option_controls.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>
#include <QVBoxLayout>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

using enum FieldPresence;

constexpr FieldWord kSpeeds[] = {{"slow", "Slowly", "As ever."}, {"quick", "Quickly"}, {"secret"}};

// Rows that the program does not have.
const FileField<JobSpec> kCount = {
    {"", "together", defaulted, "views", "how many views are at work together", 1, 99},
    [](JobSpec& job) -> Index& { return job.batchViews; },
    {.label = "Together", .what = "how many", .step = 4},
    [](const JobSpec& job) { return !job.fast; }};
const FileField<JobSpec> kSpeed = {
    {"", "speed", defaulted},
    FieldChoice<JobSpec>{kSpeeds,
                         [](const JobSpec& job) { return std::size_t{job.fast ? 1U : 0U}; },
                         [](JobSpec& job, std::size_t word) { job.fast = word == 1; }},
    {.label = "Speed", .help = "How it goes.", .what = "speed"}};

const FileField<JobSpec> kPart = {
    {"", "part", whereSet, "px", "a part"},
    [](JobSpec& job) -> std::vector<Index>& { return job.corrections.flux.airRegion; },
    {.label = "Part", .help = "Which part.", .what = "part", .absent = "all"}};

class OptionControlsTest : public testing::Test {
  protected:
    OptionControlsTest() {
        auto* column = new QVBoxLayout(&m_window);
        auto* choices = new QFormLayout;
        column->addLayout(choices);
        m_numbers = new QWidget;
        column->addWidget(m_numbers);
        auto* numbers = new QFormLayout(m_numbers);
        m_speed = qobject_cast<QComboBox*>(m_controls.add(*choices, kSpeed));
        m_count = qobject_cast<NumberField*>(m_controls.add(*numbers, kCount));
        m_label = qobject_cast<QLabel*>(numbers->labelForField(m_count));
        m_part = qobject_cast<QLineEdit*>(m_controls.add(*choices, kPart));
        test::show(m_window, {300, 250});
    }
    void SetUp() override {
        m_scan.open(toText(test::makeScan(m_folder / "scan")));
        ASSERT_TRUE(test::waitUntil([&] { return m_scan.openScan() != nullptr; }));
    }
    void type(const QString& text) {
        auto* edit = m_count->findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }

    test::TemporaryFolder m_folder;
    ScanDocument m_scan;
    OptionControls m_controls{m_scan};
    QWidget m_window;
    QWidget* m_numbers = nullptr;
    QComboBox* m_speed = nullptr;
    NumberField* m_count = nullptr;
    QLabel* m_label = nullptr;
    QLineEdit* m_part = nullptr;
};

TEST_F(OptionControlsTest, ARowIsAControlWithItsTextsAndItsRange) {
    ASSERT_NE(m_count, nullptr);
    ASSERT_NE(m_label, nullptr);
    EXPECT_EQ(m_label->text(), "Together");
    EXPECT_EQ(m_count->toolTip(), "How many views are at work together.");
    EXPECT_EQ(m_count->value(), 32);
    type("100");
    EXPECT_EQ(m_scan.request().job.batchViews, 32) << "above its range";
    type("64");
    EXPECT_EQ(m_scan.request().job.batchViews, 64);
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change how many");
    m_scan.undoStack().undo();
    EXPECT_EQ(m_scan.request().job.batchViews, 32);
    EXPECT_EQ(m_count->value(), 32);
}

TEST_F(OptionControlsTest, NumbersInALineAreTakenOnceTheyAreTyped) {
    ASSERT_NE(m_part, nullptr);
    EXPECT_EQ(m_part->placeholderText(), "all");
    m_part->setFocus();
    QTest::keyClicks(m_part, "3, 1,x40 20");
    EXPECT_EQ(m_part->text(), "3, 1,40 20") << "only digits, commas and spaces";
    EXPECT_TRUE(m_scan.request().job.corrections.flux.airRegion.empty());
    QTest::keyClick(m_part, Qt::Key_Return);
    EXPECT_EQ(m_scan.request().job.corrections.flux.airRegion, (std::vector<Index>{3, 1, 40, 20}));
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change part");
    m_scan.undoStack().undo();
    EXPECT_TRUE(m_scan.request().job.corrections.flux.airRegion.empty());
    EXPECT_EQ(m_part->text(), "");
    m_scan.undoStack().redo();
    EXPECT_EQ(m_part->text(), "3, 1, 40, 20");
    QTest::keyClicks(m_part, "5");
    QTest::keyClick(m_part, Qt::Key_Escape);
    EXPECT_EQ(m_part->text(), "3, 1, 40, 20");
}

TEST_F(OptionControlsTest, AChoiceHasItsLabelsAndHidesWhatDoesNotApply) {
    ASSERT_NE(m_speed, nullptr);
    EXPECT_EQ(m_speed->count(), 2) << "a word without a label is for files alone";
    EXPECT_EQ(m_speed->itemData(0, Qt::ToolTipRole).toString(), "As ever.");
    EXPECT_EQ(m_speed->toolTip(), "How it goes.");
    EXPECT_TRUE(m_numbers->isVisible());
    m_speed->setCurrentIndex(1);
    EXPECT_TRUE(m_scan.request().job.fast);
    EXPECT_FALSE(m_numbers->isVisible());
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change speed");
    m_scan.undoStack().undo();
    EXPECT_EQ(m_speed->currentText(), "Slowly");
    EXPECT_TRUE(m_numbers->isVisible());
}

}  // namespace
}  // namespace gantry
