// Files that are dropped on the real window.
#include <gmock/gmock.h>

#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QToolButton>
#include <fstream>

#include "tests/app/studio/window_fixture.h"

namespace kurve::studio {
namespace {

class DropTest : public WindowTest {
protected:
    static void dropOn(MainWindow& window, const QMimeData& data) {
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
    }
};

TEST_F(DropTest, DroppedLogsBecomeRuns) {
    auto app = open();
    const auto log = (home_ / "elsewhere.csv").string();
    std::ofstream(log) << "step,loss\n1,4\n2,3\n3,2.5\n";
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(log))});
    dropOn(*app->window(), data);
    ASSERT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 3; }));
    const store::RunSummary* run = nullptr;
    ASSERT_TRUE(soon([&] {
        run = app->session()->catalog.run(app->session()->selection.primaryRun());
        return run && run->family == "imported";
    }));
    EXPECT_EQ(run->name, "elsewhere.csv");
    EXPECT_EQ(run->metrics.at("loss"), 2.5);
    // The same bytes again say so and make nothing.
    dropOn(*app->window(), data);
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(soon([&] { return message->text().contains("already"); })) << message->text().toStdString();
    EXPECT_EQ(app->session()->catalog.runs().size(), 3);
}

TEST_F(DropTest, ReadableEntriesOfADamagedLogAreImportedByAButton) {
    auto app = open();
    const auto log = (home_ / "torn.csv").string(), whole = (home_ / "whole.csv").string();
    std::ofstream(log) << "step,loss\n1,4\n2,half\n3,2.5\n";
    std::ofstream(whole) << "step,loss\n1,4\n";
    auto* readable = app->window()->findChild<QToolButton*>("exchange.readable");
    auto* message = app->window()->findChild<QLabel*>("status.message");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(log)),
                  QUrl::fromLocalFile(QString::fromStdString(whole))});
    EXPECT_FALSE(readable->isVisible());
    dropOn(*app->window(), data);
    ASSERT_TRUE(soon([&] { return readable->isVisible(); }));
    EXPECT_THAT(message->text().toStdString(),
                ::testing::HasSubstr("torn.csv:3: loss: \"half\" is not a number"));
    EXPECT_THAT(message->text().toStdString(), ::testing::HasSubstr(readable->text().toStdString()));
    ASSERT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 3; })) << "the other file";
    readable->click();
    ASSERT_TRUE(soon([&] { return app->session()->catalog.runs().size() == 4; }));
    EXPECT_FALSE(readable->isVisible());
    EXPECT_TRUE(soon([&] { return message->text().contains("line 3 left out"); }))
        << message->text().toStdString();
    ASSERT_TRUE(
        soon([&] { return app->session()->catalog.run(app->session()->selection.primaryRun()) != nullptr; }));
    const auto* run = app->session()->catalog.run(app->session()->selection.primaryRun());
    EXPECT_EQ(run->name, "torn.csv");
    EXPECT_EQ(run->metrics.at("loss"), 2.5);
}

TEST_F(DropTest, DroppedTextOpensTheImportForm) {
    auto app = open();
    const auto text = (home_ / "mine.train.tsv").string();
    std::ofstream(text) << "the cat\tdie Katze\n";
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(text))});
    dropOn(*app->window(), data);
    auto* source = app->window()->findChild<QLineEdit*>("import.train.source");
    ASSERT_NE(source, nullptr);
    EXPECT_TRUE(source->isVisible());
    EXPECT_EQ(source->text().toStdString(), text);
    EXPECT_EQ(app->window()->findChild<QLineEdit*>("import.name")->text(), "mine");
    EXPECT_EQ(app->session()->catalog.runs().size(), 2);  // it is no log
}

TEST_F(DropTest, OtherFilesAreNotAccepted) {
    EXPECT_TRUE(ExchangeService::recognises({"/x/events.out.tfevents.1.host"}));
    EXPECT_TRUE(ExchangeService::recognises({"/x/log.jsonl"}));
    EXPECT_FALSE(ExchangeService::recognises({"/x/picture.png"}));
}

}  // namespace
}  // namespace kurve::studio
