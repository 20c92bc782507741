// Rows of a table as high as their wrapped texts.
#include "views/common/table/fit_rows.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

TEST(FitRows, FollowsTextWidthAndTheme) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QStandardItemModel model(1, 1);
    QTableView table;
    table.setModel(&model);
    table.setWordWrap(true);
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    fitRows(table);
    table.resize(600, 300);
    table.show();
    const auto height = [&] {
        QTest::qWait(20);
        return table.rowHeight(0);
    };
    const int one = height();
    model.item(0) == nullptr ? model.setItem(0, new QStandardItem) : void();
    model.item(0)->setText(QStringLiteral("words ").repeated(30));
    const int wide = height();
    EXPECT_GT(wide, one) << "the text has come";
    table.resize(200, 300);
    const int narrow = height();
    EXPECT_GT(narrow, wide) << "it wraps more often";
    applyTheme(ThemeMode::Light, 2.0);
    EXPECT_GT(height(), narrow) << "larger letters";
    applyTheme(ThemeMode::Light, 1.0);
    EXPECT_EQ(height(), narrow);
}

}  // namespace
}  // namespace kurve::views
