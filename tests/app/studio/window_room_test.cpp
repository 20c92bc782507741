// Every workspace on a small screen, at twice the size on a usual one, and on a large one: its main view is
// there whole, the sides are folded where they have no room, and tables show what they are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QListView>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <fstream>

#include "tests/app/studio/window_fixture.h"
#include "views/common/shell/folding_splitter.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_tables.h"

namespace kurve::studio {
namespace {

struct Room {
    const char* screen;  ///< of three_screens.json
    double scale;
    bool foldsSides, stacksTables;
};

void PrintTo(const Room& room, std::ostream* out) {
    *out << "screen " << room.screen << " at " << room.scale;
}

class WindowRoomTest : public WindowTest, public ::testing::WithParamInterface<Room> {
protected:
    void SetUp() override {
        qputenv("QT_QPA_PLATFORM",
                "offscreen:configfile=" KURVE_SOURCE_DIR "/tests/app/studio/three_screens.json");
        WindowTest::SetUp();
        std::ofstream text(project_.path() / "data" / "train.tsv");
        for (int i = 0; i < 30; ++i)
            text << "from there he went up to the city of the king " << i
                 << "\tFrom there he went up to the city.\n";
        for (QScreen* screen : QGuiApplication::screens())
            if (screen->name() == QLatin1String(GetParam().screen)) screen_ = screen;
        ASSERT_NE(screen_, nullptr);
        QWidget last;
        last.setScreen(screen_);
        last.setGeometry(screen_->geometry());
        const QJsonObject state{{"geometry", QString::fromLatin1(last.saveGeometry().toBase64())}};
        std::filesystem::create_directories(project_.path() / "layouts");
        std::ofstream(project_.path() / "layouts" / "session.json")
            << QJsonDocument(state).toJson().toStdString();
        StudioOptions options;
        options.scale = GetParam().scale;
        app_ = open(options);
        app_->window()->setGeometry(screen_->geometry());  // Qt 6.8 restores it with room for a title bar
        app_->session()->selection.setRuns({"20261120-100000-0001", "20261120-110000-0002"});
    }
    ~WindowRoomTest() override {
        app_.reset();
        views::applyTheme(views::ThemeMode::Light, 1.0);
    }
    [[nodiscard]] MainWindow& window() const { return *app_->window(); }
    /// A dock as the window shows it, in its coordinates; the workspace has settled.
    QRect shown(WorkspaceId id, const char* panel) {
        window().openWorkspace(id);
        QWidget* room = window().workspace(id).reveal(QLatin1String(panel))->widget();
        QTest::qWait(50);
        return {room->mapTo(&window(), QPoint()), room->size()};
    }
    [[nodiscard]] const QTableView& table(const char* name) const {
        return *window().findChild<QTableView*>(QLatin1String(name));
    }

    QScreen* screen_ = nullptr;
    std::unique_ptr<StudioApp> app_;
};

TEST_P(WindowRoomTest, TheWindowFillsItsScreenAndNoMore) {
    for (int i = 0; i < kWorkspaces; ++i) {
        window().openWorkspace(static_cast<WorkspaceId>(i));
        QTest::qWait(50);
        EXPECT_EQ(window().geometry(), screen_->geometry()) << i;
    }
}

TEST_P(WindowRoomTest, SidesFoldWhereTheMainViewNeedsTheirRoom) {
    window().openWorkspace(WorkspaceId::Compare);
    auto* frame = window().findChild<WindowFrame*>();
    for (const auto side : {WindowFrame::Runs, WindowFrame::Inspector})
        EXPECT_EQ(frame->sizes().value(side) == 0, GetParam().foldsSides) << side;
    window().toggleSide(WindowFrame::Runs);
    EXPECT_EQ(frame->sizes().value(WindowFrame::Runs) == 0, !GetParam().foldsSides);
}

TEST_P(WindowRoomTest, AWideWorkspaceShowsTheSecondViewBesideTheTimeline) {
    auto* frame = window().findChild<WindowFrame*>();
    (void)shown(WorkspaceId::Inspect, "curve");
    const auto foldSides = [&](bool folded) {
        for (const auto side : {WindowFrame::Runs, WindowFrame::Inspector})
            if ((frame->sizes().value(side) == 0) != folded) window().toggleSide(side);
    };
    const Workspace& space = window().workspace(WorkspaceId::Inspect);
    const QDockWidget &map = *space.dock("timeline"), &curve = *space.dock("curve");
    foldSides(true);
    const bool wide = space.width() >= views::px(1300);
    EXPECT_TRUE(soon([&] { return (curve.x() > map.geometry().right()) == wide; }));
    if (!wide) return;
    EXPECT_TRUE(
        soon([&] { return map.width() > curve.width() && 10 * curve.width() >= 3 * window().width(); }));
    foldSides(false);
    EXPECT_TRUE(soon([&] { return curve.y() > map.geometry().bottom(); })) << "no space for two";
}

TEST_P(WindowRoomTest, RailsStandForFoldedSides) {
    auto* frame = window().findChild<WindowFrame*>();
    window().openWorkspace(WorkspaceId::Inspect);
    auto* rail = window().findChild<QWidget*>("rail.runs");
    auto* list = window().findChild<QListView*>("rail.runs.list");
    if (window().width() < views::px(1000)) {
        EXPECT_FALSE(rail->isVisible()) << "no space";
        return;
    }
    EXPECT_TRUE(rail->isVisible()) << "folded by default where a trace is inspected";
    EXPECT_TRUE(window().findChild<QWidget*>("rail.inspector")->isVisible());
    ASSERT_GE(list->model()->rowCount(), 2);
    const QModelIndex second = list->model()->index(1, list->modelColumn());
    const auto center = [&] { return list->visualRect(second).center(); };
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, center());
    EXPECT_TRUE(soon([&] { return app_->session()->selection.runs().size() == 1; }));
    EXPECT_TRUE(list->selectionModel()->isSelected(second));
    window().findChild<QToolButton*>("rail.runs.open")->click();
    EXPECT_FALSE(rail->isVisible());
    EXPECT_FALSE(frame->isFolded(WindowFrame::Runs));
    window().openWorkspace(WorkspaceId::Compare);
    EXPECT_EQ(rail->isVisible(), GetParam().foldsSides) << "other workspaces have widths of their own";
    window().openWorkspace(WorkspaceId::Inspect);
    EXPECT_FALSE(rail->isVisible());
}

TEST_P(WindowRoomTest, APanelIsMaximisedAndPutBack) {
    (void)shown(WorkspaceId::Inspect, "timeline");
    Workspace& space = window().workspace(WorkspaceId::Inspect);
    QDockWidget& map = *space.dock("timeline");
    QRect before;
    ASSERT_TRUE(soon([&] {
        before = map.geometry();
        QTest::qWait(200);
        return map.geometry() == before;
    })) << "settled";
    const QByteArray layout = space.saveLayout();
    space.toggleMaximised(map);
    EXPECT_TRUE(soon([&] { return map.size() == space.size(); }));
    EXPECT_EQ(space.saveLayout(), layout) << "what is saved is the layout of before";
    space.toggleMaximised(map);
    EXPECT_TRUE(soon([&] { return map.geometry() == before; })) << map.height() << " of " << before.height();
    QTest::mouseDClick(&map, Qt::LeftButton, {}, {before.width() / 2, 4});
    EXPECT_TRUE(space.isMaximised());
    (void)space.reveal("prompt");
    EXPECT_FALSE(space.isMaximised()) << "another panel was asked for";
}

TEST_P(WindowRoomTest, EveryPanelLiesInTheWindowAndIsWideEnough) {
    for (const PanelKind& kind : panelKinds()) {
        const QRect there = shown(kind.workspace, kind.id.toUtf8());
        SCOPED_TRACE(kind.id.toStdString());
        EXPECT_TRUE(window().rect().contains(there));
        const auto* room =
            qobject_cast<QScrollArea*>(window().workspace(kind.workspace).dock(kind.id)->widget());
        EXPECT_FALSE(room->horizontalScrollBar()->isVisible()) << "nothing of it is cut off at the side";
        EXPECT_GE(there.width(), views::px(kind.workspace == WorkspaceId::Train ? 300 : 780));
    }
}

TEST_P(WindowRoomTest, TheMainViewsHaveMostOfTheHeight) {
    const auto has = [this](WorkspaceId id, const char* panel, int height) {
        return soon([&] { return shown(id, panel).height() >= height; });
    };
    EXPECT_TRUE(has(WorkspaceId::Train, "monitor", views::px(220)));
    EXPECT_TRUE(has(WorkspaceId::Inspect, "timeline", views::px(220)));
    EXPECT_TRUE(soon([&] { return shown(WorkspaceId::Inspect, "prompt").height() < views::px(50); }));
    EXPECT_TRUE(has(WorkspaceId::Compare, "compare", window().height() * 2 / 3));
    EXPECT_TRUE(has(WorkspaceId::Data, "corpus", window().height() * 2 / 3));
}

TEST_P(WindowRoomTest, TheComparisonShowsTheColumnsOfBothRuns) {
    shown(WorkspaceId::Compare, "compare");
    for (const char* name : {"compare.settings", "compare.metrics"}) {
        const QTableView& view = table(name);
        ASSERT_TRUE(soon([&] { return view.model()->columnCount() >= 3; })) << name;
        QTest::qWait(50);
        EXPECT_GE(view.columnWidth(2), views::px(60)) << name;
        EXPECT_LE(view.columnViewportPosition(2) + view.columnWidth(2), view.viewport()->width()) << name;
    }
    const auto* tables = table("compare.settings").window()->findChild<views::FoldingSplitter*>();
    EXPECT_EQ(tables->isNarrow(), GetParam().stacksTables);
}

TEST_P(WindowRoomTest, TextsOfACorpusCanBeRead) {
    shown(WorkspaceId::Data, "corpus");
    const QTableView& pairs = table("corpus.pairs");
    ASSERT_TRUE(soon([&] { return pairs.model()->rowCount() > 0; }));
    QTest::qWait(50);
    for (const int column : {views::PairTable::Source, views::PairTable::Target})
        EXPECT_GE(pairs.columnWidth(column), views::px(180));
    EXPECT_GE(pairs.viewport()->height(), views::px(100));
}

INSTANTIATE_TEST_SUITE_P(Screens, WindowRoomTest,
                         ::testing::Values(Room{"small", 1, true, false}, Room{"usual", 2, true, true},
                                           Room{"large", 1, false, false}),
                         [](const auto& room) { return std::string(room.param.screen); });

}  // namespace
}  // namespace kurve::studio
