// A running engine and those who talk to it: pipe, socket, signals, a second engine.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "core/store/run_reader.h"
#include "core/trace/trace.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

TEST_F(TrainingTest, ObeysTheWire) {
    EngineProcess engine({"train", "small", "--run", "w", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("hello"));
    EXPECT_EQ(engine.found()["protocol"], 1);
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    const auto stepPaused = engine.found()["step"];
    engine.send(
        {{"type", "sample"}, {"id", "s1"}, {"input", "in the beginning"}, {"sampler", {{"steps", 3}}}});
    ASSERT_TRUE(engine.waitForType("sampled"));
    EXPECT_EQ(engine.found()["id"], "s1");
    EXPECT_EQ(engine.found()["samples"].size(), 1U);
    engine.send({{"type", "trace"}, {"id", "t1"}, {"input", "in the beginning"}, {"what", {"latent"}}});
    ASSERT_TRUE(engine.waitForType("traced"));
    EXPECT_TRUE(std::filesystem::exists(engine.found()["file"].get<std::string>()));
    engine.send({{"type", "set"}, {"key", "train.lr"}, {"value", 0.0005}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("kind", "") == "set"; }));
    engine.send({{"type", "set"}, {"id", "no"}, {"key", "model.hidden"}, {"value", 8}});
    ASSERT_TRUE(engine.waitForType("error"));
    EXPECT_EQ(engine.found()["code"], "wire.not_live");
    engine.send({{"type", "ping"}, {"id", "p"}});
    ASSERT_TRUE(engine.waitForType("pong"));
    engine.send({{"type", "resume"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "running"); }));
    EXPECT_EQ(engine.found()["step"], stepPaused);
    engine.send({{"type", "checkpoint"}});
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    engine.sendText("this is no message\n{\"v\":1,\"type\":\"unheard-of\"}\n");
    ASSERT_TRUE(engine.waitForType("error"));
    engine.send({{"type", "stop"}, {"reason", "enough"}});
    ASSERT_TRUE(engine.waitForType("done"));
    EXPECT_EQ(engine.found()["state"], "cancelled");
    EXPECT_EQ(engine.finish(), 130);
    EXPECT_EQ(std::count(engine.output().begin(), engine.output().end(), '\n'),
              static_cast<std::ptrdiff_t>(engine.events().size()));
}

// A prompt to a paused training is answered by the model as it is, listed with its step, and changes nothing.
TEST_F(TrainingTest, ThePausedModelAnswersAsACheckpointOfThatStepWould) {
    EngineProcess engine({"train", "small", "--run", "q", "--events", "--max-steps", "100000", "--set",
                          "checkpoint.every_steps=0", "--set", "eval.every_steps=0"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.send({{"type", "checkpoint"}});
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    const std::int64_t saved = engine.found()["step"];
    ASSERT_TRUE(engine.waitFor(
        [&](const json& e) { return e.value("type", "") == "progress" && e["step"] > saved + 20; }));
    engine.send({{"type", "pause"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
    const std::int64_t step = engine.found()["step"];
    engine.send({{"type", "trace"},
                 {"id", "prompt-1"},
                 {"input", "in the beginning"},
                 {"sampler", {{"steps", 5}}},
                 {"seed", 7}});
    ASSERT_TRUE(engine.waitForType("traced"));
    EXPECT_EQ(engine.found()["id"], "prompt-1");
    const std::string file = engine.found()["trace"];
    const auto live = trace::readTrace(engine.found()["file"].get<std::string>());
    ASSERT_TRUE(live) << live.error().text();
    EXPECT_EQ(live->metaText("checkpoint_step"), std::to_string(step));
    EXPECT_EQ(live->metaText("checkpoint"), "training at step " + std::to_string(step));
    engine.send({{"type", "checkpoint"}});
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    EXPECT_EQ(engine.found()["step"], step) << "nothing was trained meanwhile";
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
    const auto listed =
        run({"query", "--run", "q", "--sql", "SELECT step, path FROM traces WHERE prompt < 0", "--json"});
    EXPECT_EQ(listed.json()["rows"], json({{step, file}})) << listed.output;
    const auto again = run({"trace", "q", "--checkpoint", std::to_string(step), "--input", "in the beginning",
                            "--set", "sampler.steps=5", "--seed", "7", "--json"});
    ASSERT_EQ(again.code, 0) << again.log;
    const auto saw = trace::readTrace(again.json()["file"].get<std::string>());
    ASSERT_TRUE(saw) << saw.error().text();
    EXPECT_EQ(live->tokens, saw->tokens);
    EXPECT_EQ(live->confidence, saw->confidence);
}

TEST_F(TrainingTest, APingIsAnsweredDuringAnEvaluation) {
    EngineProcess engine(
        {"train", "small", "--run", "e", "--events", "--max-steps", "100000", "--set", "eval.every_steps=0"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.sendText("{\"v\":1,\"type\":\"sample\"}\n{\"v\":1,\"type\":\"ping\"}\n");
    ASSERT_TRUE(engine.waitFor([](const json& event) {
        const std::string type = event.value("type", "");
        return type == "pong" || type == "evaluated";
    }));
    EXPECT_EQ(engine.found()["type"], "pong");
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
}

TEST_F(TrainingTest, AStudioThatComesLaterAttachesThroughTheSocket) {
    EngineProcess engine({"train", "small", "--run", "s", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.closeInput();  // the first studio is gone; training goes on
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (runFolder("s") / "control.sock").string();
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const std::string stop = "{\"v\":1,\"type\":\"hello\",\"protocol\":1}\n{\"v\":1,\"type\":\"stop\"}\n";
    ASSERT_EQ(::write(fd, stop.data(), stop.size()), static_cast<ssize_t>(stop.size()));
    std::string heard;
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(fd, bytes, sizeof(bytes))) > 0;)
        heard.append(bytes, static_cast<std::size_t>(n));
    ::close(fd);
    EXPECT_EQ(engine.finish(), 130);
    EXPECT_NE(heard.find("\"type\":\"hello\""), std::string::npos);
    EXPECT_NE(heard.find("\"state\":\"running\""), std::string::npos);
    EXPECT_NE(heard.find("\"state\":\"cancelled\""), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(TrainingTest, InterruptStopsGracefullyAndCanBeResumed) {
    EngineProcess engine({"train", "small", "--run", "i", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    engine.signal(SIGINT);
    ASSERT_TRUE(engine.waitForType("done"));
    const std::int64_t steps = engine.found()["steps"];
    EXPECT_EQ(engine.finish(), 130);
    const auto more = run({"resume", "i", "--max-steps", std::to_string(steps + 3), "--json", "--quiet"});
    ASSERT_EQ(more.code, 0) << more.log;
    EXPECT_EQ(more.json()["steps"], steps + 3);
    const auto behind = run({"resume", "i", "--max-steps", std::to_string(steps + 2), "--json", "--quiet"});
    EXPECT_EQ(behind.code, 2);
    EXPECT_EQ(behind.json()["error"]["code"], "resume.behind");
    EXPECT_EQ(run({"resume", "i", "--max-steps", std::to_string(steps + 3), "--quiet"}).code, 0)
        << "where it stands it has nothing to do";
    const auto reader = store::RunReader::open(runFolder("i"));
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->segments().size(), 2U) << "what trained nothing is no attempt";
}

TEST_F(TrainingTest, SecondEngineOnTheSameRunIsRefused) {
    EngineProcess engine({"train", "small", "--run", "one", "--events", "--max-steps", "100000"},
                         project_.path());
    ASSERT_TRUE(engine.waitForType("checkpoint"));
    const auto second = run({"resume", "one", "--json"});
    EXPECT_NE(second.code, 0);
    EXPECT_EQ(second.json()["error"]["code"], "store.locked");
    engine.send({{"type", "stop"}});
    EXPECT_EQ(engine.finish(), 130);
}

}  // namespace
}  // namespace kurve::testing
