#include "app/studio/services/distil_service.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <fstream>

#include "app/studio/window/distil_status.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

/// An engine that says what a shell script says.
class DistilServiceTest : public ::testing::Test {
protected:
    void SetUp() override { test::guiApp(); }
    [[nodiscard]] QString engine(const std::string& script) const {
        const auto file = folder_ / "kurve";
        std::ofstream(file) << "#!/bin/sh\necho \"$@\" > " << (folder_ / "words").string() << "\n" << script;
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        return QString::fromStdString(file.string());
    }
    [[nodiscard]] std::string words() const {
        std::ifstream file(folder_ / "words");
        std::string line;
        std::getline(file, line);
        return line;
    }
    testing::TemporaryFolder folder_;
};

TEST_F(DistilServiceTest, ReportsProgressAndOffersTheCorpus) {
    DistilService service(
        engine(R"(echo '{"v":1,"type":"mark","step":0,"kind":"teacher","text":"avg5 reaches 71.2"}'
echo '{"v":1,"type":"progress","step":64,"total":300,"eta_seconds":30}'
echo '{"v":1,"type":"done","file":"data/x-kd.train.tsv","pairs":299,"total":300}'
)"),
        "/somewhere");
    QSignalSpy status(&service, &DistilService::statusChanged), made(&service, &DistilService::made),
        said(&service, &DistilService::said);
    DistilStatus button(service);
    service.start(QStringLiteral("teacher"));
    EXPECT_TRUE(button.isVisibleTo(nullptr));
    service.start(QStringLiteral("other"));
    ASSERT_EQ(said.count(), 1) << "one at a time";
    ASSERT_TRUE(made.wait());
    EXPECT_EQ(words(), "distil teacher --project /somewhere --events");
    EXPECT_EQ(made.front().front().toString(), QStringLiteral("data/x-kd.train.tsv"));
    QStringList texts;
    for (const auto& one : status) texts << one.front().toString();
    EXPECT_TRUE(texts.contains(QStringLiteral("Distilling teacher: avg5 reaches 71.2")));
    EXPECT_TRUE(texts.contains(QStringLiteral("Distilling teacher: 64 of 300, about 0:30 left")));
    EXPECT_FALSE(service.running());
    QSignalSpy wanted(&button, &DistilStatus::trainWanted);
    button.click();
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted.front().front().toString(), QStringLiteral("data/x-kd.train.tsv"));
    EXPECT_TRUE(button.isHidden());
}

TEST_F(DistilServiceTest, ReportsFailuresAndWhatAStopKeeps) {
    DistilService failing(
        engine(
            R"(echo '{"v":1,"type":"error","code":"data.exists","message":"there is one; use --name","remedy":"use --name"}'
exit 2
)"),
        "/somewhere");
    QSignalSpy said(&failing, &DistilService::said), made(&failing, &DistilService::made);
    failing.start(QStringLiteral("teacher"));
    ASSERT_TRUE(said.wait());
    EXPECT_EQ(said.front().front().toString(), QStringLiteral("there is one; use --name"));
    EXPECT_TRUE(failing.status().isEmpty());

    DistilService stopped(engine("read line\ncase $line in *stop*) exit 130;; esac\nexit 1\n"), "/somewhere");
    QSignalSpy words(&stopped, &DistilService::said);
    stopped.start(QStringLiteral("teacher"));
    QSignalSpy(&stopped, &DistilService::statusChanged).wait(200);
    stopped.stop();
    ASSERT_TRUE(words.wait());
    EXPECT_TRUE(words.front().front().toString().contains(QStringLiteral("are kept")));
    EXPECT_EQ(made.count(), 0);

    qputenv("KURVE_ENGINE", "/nowhere");
    DistilService none(QString(), "/somewhere");
    QSignalSpy missing(&none, &DistilService::said);
    none.start(QStringLiteral("teacher"));
    ASSERT_TRUE(missing.wait());
    EXPECT_FALSE(missing.front().front().toString().isEmpty());
    qunsetenv("KURVE_ENGINE");
}

}  // namespace
}  // namespace kurve::studio
