#include "views/common/table/view_table.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

TEST(ViewTable, AsMarkdownNothingOfOthersIsMarkup) {
    const ViewTable table{QStringLiteral("a\n# b"),
                          {QStringLiteral("run|x"), QStringLiteral("loss")},
                          {{QStringLiteral("`<b>`\n[l](u)\x1b"), 0.5}}};
    const std::vector<ViewTable> tables{table};
    EXPECT_EQ(tablesText(tables, QStringLiteral("md"), QStringLiteral("of *mine*")).toStdString(),
              "of \\*mine\\*\n\n## a<br># b\n\n| run\\|x | loss |\n| --- | --- |\n"
              "| \\`\\<b\\>\\`<br>\\[l\\](u)\\x1b | 0.5 |\n");
}

}  // namespace
}  // namespace kurve::views
