// The texts that a sampler chose among: in answers, over the wire and in traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/trace/candidates.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

TEST_F(TrainingTest, CandidatesAreInAnswersTracesAndOnTheWire) {
    for (const char* family : {"small", "masked", "causal"}) {
        SCOPED_TRACE(family);
        ASSERT_EQ(run({"train", family, "--run", family, "--quiet", "--max-steps", "2"}).code, 0);
        const std::string beam = family == std::string("causal") ? "beam" : "length_beam";
        const std::vector<std::string> requested{"--input", "in the beginning", "--json", "--set",
                                                 "sampler." + beam + "=4"};
        const auto with = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.end(), requested.begin(), requested.end());
            return run(arguments);
        };
        const json sample = with({"sample", family}).json()["samples"][0];
        const json& all = sample["candidates"];
        ASSERT_EQ(all.size(), 4U) << sample;
        EXPECT_EQ(all[0]["output"], sample["output"]);

        const auto recorded = with({"trace", family});
        ASSERT_EQ(recorded.code, 0) << recorded.log;
        const auto trace = trace::readTrace(recorded.json()["file"].get<std::string>());
        ASSERT_TRUE(trace);
        EXPECT_EQ(trace::candidatesJson(trace::candidatesOf(*trace)), all);
        EXPECT_EQ(std::to_string(all[0]["number"].get<int>()), trace->metaText("candidate"));

        const auto second = with({"trace", family, "--candidate", all[1]["number"].dump()});
        ASSERT_EQ(second.code, 0) << second.log;
        EXPECT_EQ(second.json()["output"], all[1]["output"]) << "one that was not chosen";

        EngineProcess engine({"sample", family, "--serve"}, project_.path());
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
        const auto send = [&](const char* type, const json& more) {
            json body{{"type", type}, {"id", "a"}, {"input", "in the beginning"}, {"sampler", {{beam, 4}}}};
            body.update(more);
            engine.send(body);
            EXPECT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "a"; }));
            return engine.found();
        };
        EXPECT_EQ(send("sample", json::object())["samples"][0]["candidates"], all);
        EXPECT_EQ(send("trace", json::object())["sample"]["candidates"], all);
        EXPECT_EQ(send("trace", {{"candidate", all[2]["number"]}})["output"], all[2]["output"]);
        const json refused = send("trace", {{"candidate", 1000}});
        EXPECT_EQ(refused["code"], "branch.candidate");
        EXPECT_EQ(refused["field"], "candidate");
        engine.closeInput();
        EXPECT_EQ(engine.finish(), 0);
    }
}

}  // namespace
}  // namespace kurve::testing
