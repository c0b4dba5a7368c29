#include "ui/desktop/window/status_line.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSettings>

#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

TEST(StatusLine, NamesTheGpusWhenTheyAreFound) {
    QSettings().clear();
    test::FakeMachine machine;
    machine.setGpus(1);
    machine.setDelays(0, 60'000);
    Workspace workspace(machine.machine(), machine.program());
    StatusLine line(workspace, new QWidget);
    const auto& engine = *line.findChild<QLabel*>("engine");
    EXPECT_TRUE(engine.text().startsWith("CPU, ")) << engine.text().toStdString();
    EXPECT_TRUE(engine.toolTip().contains("still being looked for"));
    machine.setDelays(0);
    ASSERT_TRUE(test::waitUntil([&] { return engine.text() == "Fake 100"; }));
    EXPECT_EQ(engine.toolTip(), "What reconstructs, where the job does not ask for the CPU.");
}

}  // namespace
}  // namespace gantry
