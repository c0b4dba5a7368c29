#include "ui/panels/reconstruction/reconstruction_method.h"

#include <gtest/gtest.h>

#include "tests/ui/panels/reconstruction_fixture.h"

namespace gantry {
namespace {

class ReconstructionMethodTest : public test::ReconstructionPanelTest {
  protected:
    // A row is hidden with its form.
    [[nodiscard]] bool isFormShown(const char* name) {
        return !the<QWidget>(name).parentWidget()->isHidden();
    }
};

TEST_F(ReconstructionMethodTest, ShowsTheOptionsThatTheMethodHas) {
    open();
    EXPECT_EQ(the<QComboBox>("methodSuggestion").currentText(), "Many clean views");
    EXPECT_FALSE(isFormShown("method.iterations"));
    EXPECT_TRUE(isFormShown("filter.cutoff"));
    choose("method.name", "OS-SART");
    EXPECT_EQ(job().method.method, Method::osSart);
    EXPECT_EQ(the<QComboBox>("methodSuggestion").currentText(), "Set by hand");
    for (const char* name : {"method.iterations", "method.subsetViews", "method.relaxation"})
        EXPECT_TRUE(isFormShown(name)) << name;
    EXPECT_FALSE(isFormShown("method.weight"));
    EXPECT_FALSE(isFormShown("filter.cutoff")) << "the filter is FDK's";
    type("method.iterations", "7");
    EXPECT_EQ(job().method.iterations, 7);
    tick("method.nonNegative");
    EXPECT_FALSE(job().method.nonNegative);
    choose("method.name", "CGLS");
    EXPECT_FALSE(isFormShown("method.relaxation"));
    EXPECT_FALSE(isFormShown("method.nonNegative"));
}

TEST_F(ReconstructionMethodTest, SuggestsAMethodForAKindOfScan) {
    open();
    choose("methodSuggestion", "Few views");
    EXPECT_EQ(job().method.method, Method::tv);
    EXPECT_TRUE(isFormShown("method.weight"));
    ASSERT_TRUE(waitForForecast());
    test::screenshots(*m_panel, "reconstruction-method");
    choose("methodSuggestion", "Many clean views");
    EXPECT_EQ(job().method, MethodSpec());
}

}  // namespace
}  // namespace gantry
