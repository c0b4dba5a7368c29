#include <gtest/gtest.h>

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "core/job/job_file.h"
#include "tests/support/extra_row.h"
#include "tests/support/manual_table.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/shared/corrections_editor.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

// One row is all that an option takes: it is in job.json, on the command line, in the manual and in
// the desktop.
class OneMoreOption : public testing::Test {
  protected:
    void SetUp() override {
        m_scan.open(toText(test::makeScan(m_folder / "scan")));
        ASSERT_TRUE(test::waitUntil([&] { return m_scan.openScan() != nullptr; }));
    }
    [[nodiscard]] const JobSpec& job() { return m_scan.request().job; }
    // What the program's command `make` makes of the words, and what it prints.
    std::string call(std::vector<std::string> words) {
        Interrupt interrupt;
        Session session(interrupt, words);
        words.insert(words.begin(), "make");
        testing::internal::CaptureStdout();
        (void)runCommandLine(words, session, "1", [&](Command program) {
            Command make = program.command("make", "Make it");
            addFieldOptions(make, m_table, m_asked, {kOutputOptions});
            make.action([](Session&) { return 0; });
        });
        return testing::internal::GetCapturedStdout();
    }
    static void type(const NumberField& field, const QString& text) {
        auto* edit = field.findChild<QLineEdit*>();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    }

    test::TemporaryFolder m_folder;
    ScanDocument m_scan;
    const std::vector<FileField<JobSpec>> m_rows = tableWithExtraRow();
    const std::span<const FileField<JobSpec>> m_table = m_rows;
    JobSpec m_asked;
};

TEST_F(OneMoreOption, IsInTheJobsFile) {
    JobSpec spec = job();
    EXPECT_FALSE(nlohmann::json::parse(toJson(spec, m_table)).contains("prep")) << "it is usual";
    extraRow().assign(spec, 0.5);
    const std::string text = toJson(spec, m_table);
    EXPECT_EQ(nlohmann::json::parse(text)["prep"]["sharpness"], 0.5);
    EXPECT_EQ(extraRow().value(parseJobSpec(text, "job.json", m_table)), FieldValue(0.5));
}

TEST_F(OneMoreOption, IsOnTheCommandLine) {
    const std::string help = call({"--help"});
    EXPECT_NE(help.find("--sharpness F"), std::string::npos) << help;
    EXPECT_NE(help.find("How much of what is fine stays; 0: none"), std::string::npos) << help;
    (void)call({"--sharpness", "0.5"});
    EXPECT_EQ(extraRow().value(m_asked), FieldValue(0.5));
}

TEST_F(OneMoreOption, IsInTheManual) {
    EXPECT_NE(manualTable(m_table).find(
                  "| `prep.sharpness` | how much of what is fine stays; 0: none |  | `1` |"),
              std::string::npos);
    EXPECT_NE(optionTable(m_table).find("| `--sharpness F` | how much of what is fine stays; 0: "
                                        "none | `prep.sharpness` |"),
              std::string::npos);
}

TEST_F(OneMoreOption, IsAmongTheCorrectionsOfTheDesktop) {
    CorrectionsEditor editor(m_scan, nullptr, m_table);
    test::show(editor, {320, 600});
    auto* field = editor.findChild<NumberField*>("prep.sharpness");
    ASSERT_NE(field, nullptr);
    EXPECT_TRUE(field->isVisible());
    EXPECT_EQ(field->toolTip(), "How much of what is fine stays; 0: none.");
    const QList<QLabel*> labels = editor.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text() == "Sharpness";
    }));
    EXPECT_EQ(field->value(), 1);
    const auto held = [&] { return extraRow().value(job()); };
    type(*field, "3");
    EXPECT_EQ(held(), FieldValue(1.0)) << "above its range";
    type(*field, "0.5");
    EXPECT_EQ(held(), FieldValue(0.5));
    EXPECT_EQ(m_scan.undoStack().undoText(), "Change sharpness");
    m_scan.undoStack().undo();
    EXPECT_EQ(held(), FieldValue(1.0));
    EXPECT_EQ(field->value(), 1);
}

}  // namespace
}  // namespace gantry
