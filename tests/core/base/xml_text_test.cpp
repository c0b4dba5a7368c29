#include "core/base/xml_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gantry {
namespace {

TEST(XmlText, HidesMarksOfXmlAndLeavesOutWhatItDoesNotHave) {
    EXPECT_EQ(xmlEscaped("a<b> & \"Größe\" 'c' &amp; µm\n"),
              "a&lt;b&gt; &amp; &quot;Größe&quot; 'c' &amp;amp; µm\n");
    EXPECT_EQ(xmlEscaped(std::string_view("a\x01\x1b|b\t\0c", 8)), "a|b\tc");
}

}  // namespace
}  // namespace gantry
