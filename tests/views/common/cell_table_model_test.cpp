// A table that is filled anew at each refresh: what the user has selected stays while it shows the same.
#include "views/common/table/cell_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

namespace kurve::views {
namespace {

constexpr int kId = CellTableModel::kIdRole;

CellData cell(const QString& text, const QString& id = {}) {
    CellData data{{Qt::DisplayRole, text}};
    if (!id.isEmpty()) data[kId] = id;
    return data;
}

class CellTableModelTest : public ::testing::Test {
protected:
    void SetUp() override {
        model_.setCells({cell("metric"), cell("first run", "r1")},
                        {{cell("BLEU"), cell("40")}, {cell("loss"), cell("2")}});
        chosen_ = model_.index(1, 1);
    }
    CellTableModel model_;
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
    QPersistentModelIndex chosen_;
};

TEST_F(CellTableModelTest, ShowsItsCells) {
    EXPECT_EQ(model_.rowCount(), 2);
    EXPECT_EQ(model_.columnCount(), 2);
    EXPECT_EQ(model_.rowCount(model_.index(0, 0)), 0);
    EXPECT_EQ(model_.headerData(1, Qt::Horizontal, Qt::DisplayRole), "first run");
    EXPECT_FALSE(model_.headerData(1, Qt::Vertical, Qt::DisplayRole).isValid());
    EXPECT_EQ(model_.index(0, 1).data(), "40");
    EXPECT_FALSE(model_.index(0, 1).data(Qt::ToolTipRole).isValid());
}

TEST_F(CellTableModelTest, OtherValuesOfTheSameRowsKeepWhatIsChosen) {
    QSignalSpy changed(&model_, &CellTableModel::dataChanged),
        renamed(&model_, &CellTableModel::headerDataChanged);
    model_.setCells({cell("metric"), cell("renamed", "r1")},
                    {{cell("BLEU"), cell("41")}, {cell("loss"), cell("1")}});
    EXPECT_EQ(changed.size(), 1);
    EXPECT_EQ(renamed.size(), 1);
    ASSERT_TRUE(chosen_.isValid());
    EXPECT_EQ(chosen_.data(), "1");
    EXPECT_EQ(model_.headerData(1, Qt::Horizontal, Qt::DisplayRole), "renamed");
}

TEST_F(CellTableModelTest, OtherRowsOrColumnsAreAReset) {
    model_.setCells({cell("metric"), cell("first run", "r2")},
                    {{cell("BLEU"), cell("41")}, {cell("loss"), cell("1")}});
    EXPECT_FALSE(chosen_.isValid()) << "another run of the same name";
    chosen_ = model_.index(1, 1);
    model_.setCells({cell("metric"), cell("first run", "r2")},
                    {{cell("BLEU"), cell("41")}, {cell("chrF"), cell("1")}});
    EXPECT_FALSE(chosen_.isValid()) << "another metric";
    model_.setCells({}, {});
    EXPECT_EQ(model_.rowCount(), 0);
    EXPECT_EQ(model_.columnCount(), 0);
}

}  // namespace
}  // namespace kurve::views
