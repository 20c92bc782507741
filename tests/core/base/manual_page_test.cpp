#include "core/base/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve {
namespace {

using ::testing::HasSubstr;

/// What groff(7) and groff_char(7) ask for: no request begins within a text, and what a shell reads stays
/// ASCII.
TEST(ManualPage, NoTextIsARequestOrAnEscape) {
    const std::string source = manualSource({"kurve-x",
                                             "one - two",
                                             {"kurve x"},
                                             {{"Options",
                                               ".gitignore is read",
                                               {{"--edit", "'{\"a\":1}'", "a\\b, `c`, ^d, ~e"}},
                                               {".hidden", "'x'"}}},
                                             {"kurve", "kurve-y"}});
    EXPECT_THAT(source, HasSubstr("\n.SH \"NAME\"\nkurve\\-x \\- one \\- two\n"));
    EXPECT_THAT(source, HasSubstr("\n\\&.gitignore is read\n"));
    EXPECT_THAT(source, HasSubstr("\\fB\\-\\-edit\\fR \\fI\\(aq{\\(dqa\\(dq:1}\\(aq\\fR\n"));
    EXPECT_THAT(source, HasSubstr("\na\\eb, \\(gac\\(ga, \\(had, \\(tie\n"));
    EXPECT_THAT(source, HasSubstr("\n.PP\n.nf\n\\&.hidden\n\\(aqx\\(aq\n.fi\n"));
    EXPECT_THAT(source, HasSubstr("\n.BR kurve (1),\n.BR kurve\\-y (1)\n"));
}

}  // namespace
}  // namespace kurve
