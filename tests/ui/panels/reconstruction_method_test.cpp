#include "ui/panels/reconstruction/reconstruction_method.h"

#include <gtest/gtest.h>

#include "tests/ui/panels/reconstruction_fixture.h"

namespace gantry {
namespace {

class ReconstructionMethodTest : public test::ReconstructionPanelTest {
  protected:
    [[nodiscard]] bool isShown(const char* name) { return !the<QWidget>(name).isHidden(); }
    // A number is hidden with its form.
    [[nodiscard]] bool isFormShown(const char* name) {
        return !the<QWidget>(name).parentWidget()->isHidden();
    }
};

TEST_F(ReconstructionMethodTest, ShowsTheOptionsThatTheMethodHas) {
    open();
    EXPECT_EQ(the<QComboBox>("methodSuggestion").currentText(), "Many clean views");
    EXPECT_FALSE(isFormShown("iterations"));
    EXPECT_TRUE(isFormShown("cutoff"));
    choose("method", "OS-SART");
    EXPECT_EQ(job().method.method, Method::osSart);
    EXPECT_EQ(the<QComboBox>("methodSuggestion").currentText(), "Set by hand");
    for (const char* name : {"iterations", "subsetViews", "relaxation"})
        EXPECT_TRUE(isFormShown(name)) << name;
    EXPECT_FALSE(isFormShown("tvWeight"));
    EXPECT_FALSE(isFormShown("cutoff")) << "the filter is FDK's";
    type("iterations", "7");
    EXPECT_EQ(job().method.iterations, 7);
    tick("nonNegative");
    EXPECT_FALSE(job().method.nonNegative);
    choose("method", "CGLS");
    EXPECT_FALSE(isFormShown("relaxation"));
    EXPECT_FALSE(isShown("nonNegative"));
}

TEST_F(ReconstructionMethodTest, SuggestsAMethodForAKindOfScan) {
    open();
    choose("methodSuggestion", "Few views");
    EXPECT_EQ(job().method.method, Method::tv);
    EXPECT_TRUE(isFormShown("tvWeight"));
    ASSERT_TRUE(waitForForecast());
    test::screenshots(*m_panel, "reconstruction-method");
    choose("methodSuggestion", "Many clean views");
    EXPECT_EQ(job().method, MethodSpec());
}

}  // namespace
}  // namespace gantry
