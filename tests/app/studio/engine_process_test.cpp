// One owner of the engine's processes: how each kind ends, and what is told of it.
#include "app/studio/engine/engine_process.h"

#include <QSignalSpy>

#include "app/studio/engine/engine_program.h"
#include "tests/app/studio/script_engine.h"

namespace kurve::studio {
namespace {

using Kind = EngineProcess::Kind;

class EngineProcessTest : public ScriptEngineTest {
protected:
    void begin(const std::string& script, Kind kind = Kind::Job) {
        process_ = std::make_unique<EngineProcess>(kind, engine(script));
        QObject::connect(process_.get(), &EngineProcess::ended, process_.get(),
                         [this](const EngineEnd& end) { ends_.push_back(end); });
        QObject::connect(process_.get(), &EngineProcess::received, process_.get(),
                         [this](const wire::Message& message) { heard_.push_back(message.type); });
        process_->begin({"x"});
    }
    [[nodiscard]] EngineEnd end() {
        EXPECT_TRUE(test::waitFor([&] { return !ends_.empty(); }, 30000));
        return ends_.empty() ? EngineEnd() : ends_.front();
    }
    [[nodiscard]] bool exists(const char* file) const { return std::filesystem::exists(folder_ / file); }
    [[nodiscard]] std::string path(const char* file) const { return (folder_ / file).string(); }

    std::unique_ptr<EngineProcess> process_;
    std::vector<EngineEnd> ends_;
    std::vector<std::string> heard_;
};

TEST_F(EngineProcessTest, TheReasonOfAnEndIsTheErrorElseTheLastLineOfTheLog) {
    begin(R"(echo '{"v":1,"type":"error","message":"no data","remedy":"import it"}'
echo '{"v":1,"type":"error","id":"7","message":"of one request","remedy":""}'
echo first >&2; printf last >&2; exit 3)");
    EXPECT_EQ(end().why, "no data; import it") << "an error in an answer does not end the engine";
    EXPECT_EQ(end().code, 3);
    EXPECT_EQ(end().log, "last") << "also without an end of line";
    EXPECT_EQ(heard_.size(), 2U);
    EXPECT_FALSE(process_->running());
    ends_.clear();
    begin("echo out of order >&2; exit 1");
    EXPECT_EQ(end().why, "out of order");
    EXPECT_EQ(end().kind, EngineEnd::Kind::Failed);
    ends_.clear();
    begin("exit 130");
    EXPECT_EQ(end().kind, EngineEnd::Kind::Stopped);
    ends_.clear();
    begin("kill -9 $$");
    EXPECT_TRUE(end().crashed);
    EXPECT_EQ(end().code, 9);
}

TEST_F(EngineProcessTest, OneThatCannotStartSaysSoAfterwards) {
    qputenv("KURVE_ENGINE", "/nowhere");
    for (const char* program : {"", "/nowhere/kurve"}) {
        EngineProcess process(Kind::Job, QString::fromUtf8(program));
        QSignalSpy ended(&process, &EngineProcess::ended);
        process.begin({"x"});
        ASSERT_TRUE(test::waitFor([&] { return ended.count() == 1; }, 30000)) << program;
        const auto end = ended.front().front().value<EngineEnd>();
        EXPECT_EQ(end.code, EngineEnd::kNotStarted);
        EXPECT_TRUE(end.why.contains("packaging/run")) << end.why.toStdString();
        EXPECT_FALSE(process.running());
    }
    qunsetenv("KURVE_ENGINE");
}

TEST_F(EngineProcessTest, StopIsAMessageAndThenASignal) {
    begin("read line; echo \"$line\" > " + path("asked") +
          "; trap 'exit 130' TERM; while :; do sleep 0.1; done");
    ASSERT_TRUE(test::waitFor([&] { return exists("words"); }, 30000));
    process_->stop();
    EXPECT_EQ(end().kind, EngineEnd::Kind::Stopped);
    std::ifstream asked(path("asked"));
    std::string line;
    std::getline(asked, line);
    EXPECT_NE(line.find("\"stop\""), std::string::npos) << line;
}

TEST_F(EngineProcessTest, OfAReleasedOneNothingMoreIsToldAndAnotherMayBegin) {
    begin("cat > /dev/null; touch " + path("gone"));
    ASSERT_TRUE(test::waitFor([&] { return exists("words"); }, 30000));
    process_->release();
    EXPECT_FALSE(process_->running());
    process_->begin({"again"});
    EXPECT_TRUE(process_->running());
    EXPECT_TRUE(test::waitFor([&] { return exists("gone"); }, 30000)) << "its input ends";
    EXPECT_TRUE(ends_.empty());
}

TEST_F(EngineProcessTest, ADescriptionIsCachedForTheGpusThatItNames) {
    qputenv("XDG_CACHE_HOME", path("cache").c_str());
    qunsetenv("CUDA_VISIBLE_DEVICES");
    qputenv("KURVE_ENGINE",
            engine("echo '{\"families\":[],\"devices\":[{\"id\":\"'${CUDA_VISIBLE_DEVICES:-cpu}'\"}]}'")
                .toUtf8());
    const auto device = [] {
        EngineDescription description{QString()};
        description.load(findEngineProgram());
        EXPECT_TRUE(test::waitFor([&] { return !description.info().devices().empty(); }, 30000));
        return description.info().devices();
    };
    EXPECT_EQ(device(), std::vector<std::string>{"cpu"});
    qputenv("CUDA_VISIBLE_DEVICES", "gpu");
    EXPECT_EQ(device(), std::vector<std::string>{"gpu"});
    qunsetenv("CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(device(), std::vector<std::string>{"cpu"});
    std::ifstream words(folder_ / "words");
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(words), {}, '\n'), 2) << "the third is cached";
    qunsetenv("KURVE_ENGINE");
}

TEST_F(EngineProcessTest, OnlyAJobEndsWithItsObject) {
    for (const auto& [kind, lasts] :
         {std::pair{Kind::Call, true}, {Kind::Training, true}, {Kind::Job, false}}) {
        for (const char* file : {"pid", "go", "done"}) std::filesystem::remove(folder_ / file);
        begin("echo $$ > " + path("pid.new") + "; mv " + path("pid.new") + " " + path("pid") +
                  "\nwhile [ ! -e " + path("go") + " ]; do sleep 0.05; done; touch " + path("done"),
              kind);
        ASSERT_TRUE(test::waitFor([&] { return exists("pid"); }, 30000));
        long pid = 0;
        std::ifstream(path("pid")) >> pid;
        process_.reset();
        EXPECT_EQ(std::filesystem::exists("/proc/" + std::to_string(pid)), lasts);
        std::ofstream(path("go"));
        EXPECT_EQ(test::waitFor([&] { return exists("done"); }, lasts ? 30000 : 300), lasts);
    }
}

}  // namespace
}  // namespace kurve::studio
