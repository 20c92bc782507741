// The wire's `reconstruct` beside what `kurve sample` writes with the same weights.
#include <gmock/gmock.h>

#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

class ReconstructTest : public TrainingTest {
protected:
    void SetUp() override {
        TrainingTest::SetUp();
        ASSERT_EQ(run({"train", "chunks", "--run", "codes"}).code, 0);
        engine_ = std::make_unique<EngineProcess>(std::vector<std::string>{"sample", "codes", "--serve"},
                                                  project_.path());
        ASSERT_TRUE(engine_->waitFor([](const json& e) { return hasState(e, "serving"); }));
    }
    json ask(json body) {
        const std::string id = std::to_string(++asked_);
        body["type"] = "reconstruct";
        body["id"] = id;
        engine_->send(body);
        EXPECT_TRUE(engine_->waitFor([&](const json& e) { return e.value("id", "") == id; }));
        return engine_->found();
    }
    std::string sampled(const std::string& noise, const std::string& seed) {
        const auto made = run({"sample", "codes", "--input", kText, "--seed", seed, "--set",
                               "sampler.noise=" + noise, "--json", "--quiet"});
        EXPECT_EQ(made.code, 0) << made.log;
        return made.json()["samples"][0]["output"];
    }

    static constexpr const char* kText = "he went out in the evening";
    std::unique_ptr<EngineProcess> engine_;
    int asked_ = 0;
};

TEST_F(ReconstructTest, WritesWhatSampleWritesWithAndWithoutNoise) {
    for (const auto& [noise, seed] : {std::pair{"0", "1"}, {"1.5", "1"}, {"1.5", "2"}}) {
        const json made = ask({{"input", kText}, {"seed", std::stoi(seed)}, {"sampler", {{"noise", noise}}}});
        ASSERT_EQ(made["type"], "reconstructed") << made;
        EXPECT_EQ(made["texts"][0]["output"], sampled(noise, seed)) << "noise " << noise;
    }
    EXPECT_NE(sampled("1.5", "1"), sampled("0", "1")) << "the noise must be seen";
    EXPECT_NE(sampled("1.5", "1"), sampled("1.5", "2")) << "and the seed";
}

TEST_F(ReconstructTest, CutsTheTextIntoChunksAndCountsWhatIsRight) {
    const json text = ask({{"input", kText}})["texts"][0];
    int counted = 0, right = 0, longest = 0, ends = 0;
    std::string spelled;
    for (const json& chunk : text["chunks"]) {
        EXPECT_EQ(chunk["ids"].size(), text["chunks"][0]["ids"].size()) << "all have K tokens";
        EXPECT_EQ(chunk["mean"], chunk["latent"]) << "without noise";
        EXPECT_GT(chunk["sigma"].get<double>(), 0);
        for (std::size_t i = 0; i < chunk["ids"].size(); ++i) {
            ++longest;
            if (chunk["tokens"][i] == "<pad>") continue;
            ++counted;
            right += chunk["ids"][i] == chunk["decoded_ids"][i];
            if (chunk["tokens"][i] != "</s>")
                spelled += chunk["tokens"][i].get<std::string>();
            else
                ++ends;
        }
    }
    EXPECT_EQ(text["tokens"], counted);
    EXPECT_EQ(text["right"], right);
    EXPECT_EQ(ends, 1);
    for (auto at = spelled.find("▁"); at != std::string::npos; at = spelled.find("▁"))
        spelled.replace(at, 3, " ");
    EXPECT_EQ(spelled, std::string(" ") + kText);
    EXPECT_LT(longest - counted, static_cast<int>(text["chunks"][0]["ids"].size()));
}

TEST_F(ReconstructTest, InterpolationEndsAtTheChunksOwnReconstructions) {
    const json made = ask({{"input", kText}, {"sampler", {{"noise", 0.4}}}, {"between", {2, 0}}});
    const json& chunks = made["texts"][0]["chunks"];
    const json& between = made["between"];
    ASSERT_EQ(between.size(), 9U);
    EXPECT_EQ(between[0]["tokens"], chunks[2]["decoded_tokens"]);
    EXPECT_EQ(between[8]["tokens"], chunks[0]["decoded_tokens"]);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(between[static_cast<std::size_t>(i)]["t"], i / 8.0);
}

TEST_F(ReconstructTest, TextsOfOneRequestAreThoseOfSeveral) {
    const json both = ask({{"input", {"he went out", kText}}});
    ASSERT_EQ(both["texts"].size(), 2U);
    EXPECT_EQ(both["texts"][1]["input"], kText);
    EXPECT_EQ(both["texts"][1]["chunks"], ask({{"input", kText}})["texts"][0]["chunks"]) << "no noise";
}

TEST_F(ReconstructTest, SaysWhatIsWrong) {
    const auto refused = [&](json body, const char* code, const char* field) {
        const json error = ask(std::move(body));
        EXPECT_EQ(error.value("code", ""), code) << error;
        EXPECT_EQ(error.value("field", ""), field) << error;
    };
    std::string longText;
    for (int i = 0; i < 400; ++i) longText += "he went ";
    refused({{"input", " "}}, "sample.no_input", "input");
    refused({{"input", longText}}, "sample.too_long", "input");
    refused({{"input", kText}, {"between", {0, 999}}}, "reconstruct.chunk", "between");
    refused({{"input", kText}, {"between", "ends"}}, "wire.bad_request", "between");
    EXPECT_EQ(ask({{"input", kText}}).value("type", ""), "reconstructed") << "it goes on";
}

TEST_F(ReconstructTest, ARunOfAnotherFamilyHasNoAutoencoder) {
    ASSERT_EQ(run({"train", "small", "--run", "other"}).code, 0);
    engine_ = std::make_unique<EngineProcess>(std::vector<std::string>{"sample", "other", "--serve"},
                                              project_.path());
    ASSERT_TRUE(engine_->waitFor([](const json& e) { return hasState(e, "serving"); }));
    const json error = ask({{"input", kText}});
    EXPECT_EQ(error.value("code", ""), "reconstruct.unsupported") << error;
    EXPECT_FALSE(error.value("remedy", "").empty());
}

}  // namespace
}  // namespace kurve::testing
