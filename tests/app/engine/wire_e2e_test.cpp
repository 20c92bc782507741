// Every command of the wire, with each field missing, null and of every other type, to an engine that trains
// and to one that serves: it answers, and goes on.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/engine/training_test.h"
#include "tests/support/wire_table.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

/// Sends all of it but what ends the engine, and waits until it has answered the last.
void sendDamaged(EngineProcess& engine) {
    std::string bytes;
    for (const wire::Message& command : test::wireCommands())
        for (wire::Message damaged : test::damagedCopies(command)) {
            if (command.type == "stop") continue;
            if (damaged.body.contains("follow")) damaged.body["follow"] = nullptr;
            bytes += wire::encode(damaged) + "\n";
        }
    for (const auto* id : {"null", "true", "1.5", "[1]", "{\"key\":1}"})
        for (const wire::Message& command : test::wireCommands())
            if (command.type != "stop")
                bytes += "{\"v\":1,\"type\":\"" + command.type + "\",\"id\":" + id + "}\n";
    engine.sendText(bytes);
    engine.send({{"type", "sample"}, {"id", "last"}, {"input", "the king"}});
    EXPECT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "last"; }));
}

TEST_F(TrainingTest, GoesOnWhateverACommandHolds) {
    EngineProcess engine(
        {"train", "small", "--run", "w", "--events", "--max-steps", "100000", "--set", "eval.every_steps=0"},
        project_.path());
    ASSERT_TRUE(engine.waitForType("progress"));
    sendDamaged(engine);
    for (const auto& event : engine.events())
        EXPECT_NE(event.value("code", ""), "request.failed") << event << ": a field was read unasked";
    engine.send({{"type", "resume"}});
    engine.send({{"type", "stop"}, {"reason", nullptr}});
    ASSERT_TRUE(engine.waitForType("done"));
    EXPECT_EQ(engine.found()["state"], "cancelled");
    EXPECT_EQ(engine.finish(), 130) << engine.log();
}

TEST_F(TrainingTest, ServesWhateverARequestHolds) {
    ASSERT_EQ(run({"train", "small", "--run", "w", "--max-steps", "12"}).code, 0);
    EngineProcess engine({"sample", "w", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    sendDamaged(engine);
    engine.send({{"type", "stop"}, {"reason", {1}}});
    EXPECT_EQ(engine.finish(), 0) << engine.log();
}

}  // namespace
}  // namespace kurve::testing
