// Requests to a trained run: samples, traces, branches, scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/store/run_reader.h"
#include "core/trace/trace.h"
#include "tests/app/engine/training_test.h"

namespace kurve::testing {
namespace {

using nlohmann::json;

// What `kurve score` says of the same outputs and references without capitals.
TEST_F(TrainingTest, OutputsWithoutCapitalsAreComparedWithReferencesWithoutThem) {
    const auto trained =
        run({"train", "small", "--run", "a", "--quiet", "--json", "--set", "data.tokenizer.lower_case=true"});
    ASSERT_EQ(trained.code, 0) << trained.log;
    const json samples = run({"sample", "a", "--count", "4", "--json", "--quiet"}).json()["samples"];
    const auto write = [&](const char* name, const char* key, bool lower) {
        std::ofstream file(project_ / name);
        for (const json& sample : samples) {
            std::string text = sample[key];
            if (lower)
                std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
            file << text << '\n';
        }
    };
    write("hyp", "output", false);
    write("src", "input", true);
    write("ref", "reference", true);
    write("capitals", "reference", false);
    const auto score = [&](const char* metric, const char* outputs, const char* references) {
        return run({"score", metric, "--hyp", outputs, "--ref", references, "--json"})
            .json()["value"]
            .get<double>();
    };
    const double wanted = score("chrf", "hyp", "ref");
    ASSERT_GT(std::abs(wanted - score("chrf", "hyp", "capitals")), 1e-3) << "the test needs capitals";
    const json eval =
        run({"eval", "a", "--limit", "4", "--metrics", "chrf,bleu", "--json", "--quiet"}).json()["metrics"];
    EXPECT_NEAR(eval["chrf"]["value"].get<double>(), wanted, 1e-9);
    EXPECT_NEAR(eval["copy_bleu"]["value"].get<double>(), score("bleu", "src", "ref"), 1e-9);
    const json swept = run({"sweep", "a", "--grid", "sampler.steps=4", "--limit", "4", "--seeds", "1",
                            "--quality", "chrf", "--diversity", "distinct-2", "--json"})
                           .json();
    EXPECT_NEAR(swept["points"][0]["quality"]["chrf"]["value"].get<double>(), wanted, 1e-9);
    EXPECT_NEAR(trained.json()["metrics"]["valid_chrf"].get<double>(), wanted, 1e-6);
}

TEST_F(TrainingTest, ATransformerScoresGivenPairs) {
    ASSERT_EQ(run({"train", "causal", "--run", "t", "--quiet"}).code, 0);
    const auto eval = run({"eval", "t", "--metrics", "ppl,bleu", "--json"});
    ASSERT_EQ(eval.code, 0) << eval.log;
    const double perplexity = eval.json()["metrics"]["ppl"]["value"];
    EXPECT_GT(perplexity, 2);
    EXPECT_TRUE(eval.json()["metrics"].contains("bleu"));
    const auto valid = readFile(project_ / "data/valid.tsv");
    ASSERT_TRUE(valid);
    std::ofstream sources(project_ / "src.txt"), targets(project_ / "tgt.txt");
    for (const auto& line : split(*valid, '\n')) {
        const auto tab = line.find('\t');
        if (line.starts_with('#') || tab == std::string::npos) continue;
        sources << line.substr(0, tab) << '\n';
        targets << line.substr(tab + 1) << '\n';
    }
    sources.close();
    targets.close();
    const std::vector<std::string> score{"score",   "ppl",   "--run",   "t",      "--src",
                                         "src.txt", "--hyp", "tgt.txt", "--json", "--per-token"};
    const auto scored = run(score);
    ASSERT_EQ(scored.code, 0) << scored.log;
    EXPECT_NEAR(scored.json()["value"].get<double>(), perplexity, 1e-4 * perplexity);
    const json pair = scored.json()["pairs"][0];
    double sum = 0;
    for (const auto& piece : pair["by_token"]) sum += piece[1].get<double>();
    EXPECT_NEAR(sum, pair["log_probability"].get<double>(), 1e-9);
    EXPECT_EQ(pair["by_token"].back()[0], "</s>");

    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "2", "--quiet"}).code, 0);
    EXPECT_EQ(run({"eval", "r", "--metrics", "ppl", "--json"}).json()["error"]["code"],
              "score.no_likelihood");
    EXPECT_EQ(run({"score", "ppl", "--hyp", "tgt.txt", "--json"}).json()["error"]["field"], "--run");
    for (const auto& [metric, option] :
         {std::pair{"bleu", "--src"}, {"bleu", "--run"}, {"bleu", "--checkpoint"}, {"ppl", "--ref"}}) {
        const auto refused = run({"score", metric, "--hyp", "tgt.txt", option, "tgt.txt", "--json"});
        EXPECT_EQ(refused.code, 2) << option;
        EXPECT_EQ(refused.json()["error"]["code"], "cli.usage") << option;
        EXPECT_EQ(refused.json()["error"]["field"], option);
    }
    EXPECT_EQ(run({"score", "bleu", "--hyp", "tgt.txt", "--ref", "tgt.txt", "--per-token"}).code, 2);
}

TEST_F(TrainingTest, SampleTraceEvalAndForkUseTheRun) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet"}).code, 0);
    const auto sample = run({"sample", "r", "--count", "3", "--json", "--set", "sampler.steps=2"});
    ASSERT_EQ(sample.code, 0) << sample.log;
    EXPECT_EQ(sample.json()["samples"].size(), 3U);
    EXPECT_EQ(sample.json()["sampler"]["steps"], 2);
    EXPECT_GE(sample.json()["network_calls"], 2);
    const auto trace = run({"trace", "r", "--input", "in the beginning", "--what", "latent", "--json"});
    ASSERT_EQ(trace.code, 0) << trace.log;
    EXPECT_EQ(trace.json()["frames"].size(), trace.json()["steps"]);
    const auto eval = run({"eval", "r", "--metrics", "bleu,chrf", "--limit", "5", "--json"});
    ASSERT_EQ(eval.code, 0) << eval.log;
    EXPECT_TRUE(eval.json()["metrics"].contains("copy_bleu"));
    EXPECT_EQ(eval.json()["metrics"]["bleu"]["ci95"].size(), 2U);
    for (const char* ofSamples : {"self-bleu", "self-bleu-pairs", "div-4"})
        EXPECT_EQ(run({"eval", "r", "--metrics", ofSamples, "--json"}).json()["error"]["code"],
                  "metric.needs_samples");
    const auto fork =
        run({"fork", "r", "--checkpoint", "8", "--run", "f", "--set", "train.lr=0.0001", "--json"});
    ASSERT_EQ(fork.code, 0) << fork.log;
    EXPECT_EQ(fork.json()["parent"], "r");
    EXPECT_EQ(fork.json()["step"], 8);
    EXPECT_EQ(fork.json()["total_steps"], 12);
    EXPECT_THAT(run({"fork", "r", "--run", "late"}).output,
                ::testing::HasSubstr("kurve resume late --max-steps 24"))
        << "it would end at once";
    const auto forked = run({"resume", "f", "--json", "--quiet"});
    ASSERT_EQ(forked.code, 0) << forked.log;
    EXPECT_EQ(forked.json()["steps"], 12);
    const auto reader = store::RunReader::open(runFolder("f"));
    ASSERT_TRUE(reader);
    const auto segments = (*reader)->segments();
    ASSERT_EQ(segments.size(), 2U);
    for (const auto& segment : segments) EXPECT_EQ(segment.startStep, 9) << segment.reason;
}

// Whoever scores the outputs against a reference counts on it: output i belongs to line i.
TEST_F(TrainingTest, EveryLineOfAFileHasItsOutput) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "2", "--quiet"}).code, 0);
    const auto sampled = [&](const std::string& text) {
        std::ofstream(project_ / "in.txt", std::ios::binary) << text;
        return run({"sample", "r", "--inputs", "in.txt", "--set", "sampler.steps=1", "--json"});
    };
    const auto three = sampled("\xEF\xBB\xBFin the beginning\r\n\r\nthe earth\n");
    ASSERT_EQ(three.code, 0) << three.log;
    std::vector<std::string> inputs;
    const auto document = three.json();
    for (const auto& sample : document["samples"]) inputs.push_back(sample["input"]);
    EXPECT_THAT(inputs, ::testing::ElementsAre("in the beginning", "", "the earth"));

    const auto error = [](const auto& result) { return result.json()["error"]; };
    EXPECT_EQ(error(sampled(""))["code"], "sample.no_input");
    EXPECT_EQ(error(sampled(""))["file"], "in.txt");
    for (const char* blank : {"", "  "}) {
        const auto refused = run({"sample", "r", "--input", blank, "--json"});
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(error(refused)["code"], "sample.no_input");
        EXPECT_EQ(error(refused)["field"], "--input");
    }
    const auto latin = sampled("in the\nbeginn\xFFing\n");
    EXPECT_EQ(latin.code, 2);
    EXPECT_EQ(error(latin)["code"], "data.utf8");
    EXPECT_EQ(error(latin)["line"], 2);
}

TEST_F(TrainingTest, ServesAndCancelsRequests) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet"}).code, 0);
    EngineProcess engine({"sample", "r", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    engine.send(
        {{"type", "sample"}, {"id", "a"}, {"input", "in the beginning"}, {"sampler", {{"steps", 2000}}}});
    engine.send({{"type", "cancel"}, {"id", "a"}});
    engine.send({{"type", "sample"}, {"id", "b"}, {"input", "in the beginning"}});
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "a"; }));
    EXPECT_EQ(engine.found()["code"], "cancelled");
    ASSERT_TRUE(engine.waitFor([](const json& e) { return e.value("id", "") == "b"; }));
    EXPECT_EQ(engine.found()["type"], "sampled");
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

// "last" is what is last at the request, not what was when the model was loaded.
TEST_F(TrainingTest, ServesTheNewestWeightsAfterAResume) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "4", "--quiet"}).code, 0);
    EngineProcess last({"sample", "r", "--serve"}, project_.path()),
        fourth({"sample", "r", "--serve", "--checkpoint", "4"}, project_.path());
    const auto recordedAt = [](EngineProcess& engine) -> std::string {
        engine.send({{"type", "trace"}, {"input", "in the beginning"}});
        if (!engine.waitForType("traced")) return "nothing";
        const auto trace = trace::readTrace(engine.found()["file"].get<std::string>());
        return trace ? trace->metaText("checkpoint_step") : trace.error().text();
    };
    EXPECT_EQ(recordedAt(last), "4");
    EXPECT_EQ(recordedAt(fourth), "4");
    ASSERT_EQ(run({"resume", "r", "--max-steps", "8", "--quiet"}).code, 0);
    EXPECT_EQ(recordedAt(last), "8");
    EXPECT_EQ(recordedAt(fourth), "4") << "a step is a step";
    for (EngineProcess* engine : {&last, &fourth}) {
        engine->closeInput();
        EXPECT_EQ(engine->finish(), 0);
    }
    const auto announced = [](const EngineProcess& engine) {
        return std::count_if(engine.events().begin(), engine.events().end(),
                             [](const json& e) { return hasState(e, "serving"); });
    };
    EXPECT_EQ(announced(last), 2) << "who listens hears which weights answer";
    EXPECT_EQ(announced(fourth), 1);
}

// Who looks on sees the beginning of what is written in the end.
TEST_F(TrainingTest, ShowsATraceWhileItGrows) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--quiet"}).code, 0);
    EngineProcess engine({"sample", "r", "--serve"}, project_.path());
    const auto grows = (project_ / "grows.safetensors").string();
    engine.send({{"type", "trace"},
                 {"id", "g"},
                 {"input", "in the beginning"},
                 {"sampler", {{"steps", 2000}, {"length_beam", 1}, {"noise_beam", 1}}},
                 {"follow", grows}});
    ASSERT_TRUE(engine.waitForType("tracing"));
    const json said = engine.found();
    EXPECT_EQ(said["id"], "g");
    EXPECT_EQ(said["file"], grows);
    EXPECT_EQ(said["planned"], 2000);
    const auto early = trace::readTrace(grows);
    ASSERT_TRUE(early) << early.error().text();
    EXPECT_EQ(early->metaText("planned_steps"), "2000");
    EXPECT_EQ(early->metaText("edits"), "") << "no branch can be made of it yet";
    ASSERT_GE(early->steps, said["steps"]);
    ASSERT_LT(early->steps, 2000);
    ASSERT_TRUE(engine.waitForType("traced"));
    const auto whole = trace::readTrace(engine.found()["file"].get<std::string>());
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->steps, 2000);
    EXPECT_EQ(whole->metaText("planned_steps"), "");
    EXPECT_TRUE(std::equal(early->tokens.begin(), early->tokens.end(), whole->tokens.begin()));
    EXPECT_TRUE(std::equal(early->logSnr.begin(), early->logSnr.end(), whole->logSnr.begin()));

    engine.send({{"type", "trace"},
                 {"input", "in the beginning"},
                 {"sampler", {{"steps", 2000}}},
                 {"follow", "/no/such/folder/f.safetensors"}});
    ASSERT_TRUE(engine.waitForType("warning"));
    EXPECT_TRUE(engine.waitForType("traced")) << "it is recorded, seen or not";
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

// Edits of a trace: of a paused training, from the command line, and of an engine that serves.
TEST_F(TrainingTest, BranchesApplyTheirEdits) {
    const auto edit = [](const char* kind) {
        return json{{"kind", kind}, {"position", 1}, {"token", "the"}};
    };
    std::string live;
    {
        EngineProcess engine({"train", "small", "--run", "h", "--events", "--max-steps", "100000"},
                             project_.path());
        ASSERT_TRUE(engine.waitForType("progress"));
        engine.send({{"type", "pause"}});
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "paused"); }));
        engine.send({{"type", "trace"}, {"id", "t"}, {"input", "in the beginning"}});
        ASSERT_TRUE(engine.waitForType("traced"));
        live = engine.found()["trace"];
        engine.send(
            {{"type", "branch"}, {"id", "b"}, {"parent", live}, {"step", 1}, {"edits", {edit("pin")}}});
        ASSERT_TRUE(engine.waitForType("traced"));
        EXPECT_EQ(engine.found()["id"], "b");
        EXPECT_EQ(engine.found()["parent"], live);
        EXPECT_EQ(engine.found()["change"], "position 1 = the @2");
        engine.send({{"type", "branch"}, {"id", "c"}, {"parent", live}, {"step", 999}});
        ASSERT_TRUE(engine.waitForType("error"));
        EXPECT_EQ(engine.found()["code"], "branch.step");
        engine.send({{"type", "stop"}});
        EXPECT_EQ(engine.finish(), 130);
    }
    const auto parent = run({"trace", "h", "--input", "in the beginning", "--json"});
    ASSERT_EQ(parent.code, 0) << parent.log;
    const std::string file = parent.json()["file"];
    const std::string bytes = *readFile(file);
    const auto branch =
        run({"trace", "h", "--branch-of", file, "--step", "1", "--edit", edit("force").dump(), "--json"});
    ASSERT_EQ(branch.code, 0) << branch.log;
    EXPECT_EQ(branch.json()["change"], "position 1 := the @2");
    EXPECT_EQ(branch.json()["parent"], "traces/" + std::filesystem::path(file).filename().string());
    EXPECT_EQ(branch.json()["frames"][0]["tokens"], parent.json()["frames"][0]["tokens"]);
    EXPECT_THAT(branch.json()["frames"][1]["tokens"][1].get<std::string>(), ::testing::HasSubstr("the"));
    EXPECT_EQ(*readFile(file), bytes) << "the original is never touched";
    const auto unchanged = run({"trace", "h", "--branch-of", file, "--json"});
    ASSERT_EQ(unchanged.code, 0) << unchanged.log;
    EXPECT_EQ(unchanged.json()["frames"], parent.json()["frames"]);
    const auto code = [&](const std::string& text) {
        return run({"trace", "h", "--branch-of", file, "--edit", text, "--json"}).json()["error"]["code"];
    };
    EXPECT_EQ(code("{"), "branch.syntax");
    EXPECT_EQ(code(R"({"kind":"ban","position":500,"token":"the"})"), "branch.position");
    EXPECT_EQ(run({"trace", "h", "--json"}).json()["error"]["code"], "trace.no_input");
    const std::string name = parent.json()["trace"];  // as it is reported
    EXPECT_EQ(run({"trace", "h", "--branch-of", name, "--json"}).json()["frames"], parent.json()["frames"]);
    EXPECT_EQ(run({"export", "h", "--what", "trace", "--trace", name, "--format", "csv", "--out", "-"}).code,
              0);
    EngineProcess engine({"sample", "h", "--serve"}, project_.path());
    ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
    engine.send({{"type", "branch"}, {"id", "s"}, {"parent", file}, {"step", 0}, {"edits", {edit("ban")}}});
    ASSERT_TRUE(engine.waitForType("traced"));
    EXPECT_EQ(engine.found()["change"], "position 1 != the @1");
    engine.closeInput();
    EXPECT_EQ(engine.finish(), 0);
}

TEST_F(TrainingTest, APairOfTheDataIsTracedByItsNumber) {
    ASSERT_EQ(run({"train", "small", "--run", "r", "--max-steps", "4"}).code, 0);
    const json pairs = run({"sample", "r", "--count", "2", "--json"}).json()["samples"];
    ASSERT_EQ(pairs.size(), 2U);
    const auto traced = run({"trace", "r", "--row", "1", "--json", "--summary"});
    ASSERT_EQ(traced.code, 0) << traced.log;
    EXPECT_EQ(traced.json()["input"], pairs[1]["input"]);
    const auto recorded = trace::readTrace(traced.json()["file"].get<std::string>());
    ASSERT_TRUE(recorded);
    EXPECT_EQ(recorded->metaText("reference"), pairs[1]["reference"].get<std::string>());
    const json error = run({"trace", "r", "--row", "100000", "--json"}).json()["error"];
    EXPECT_EQ(error["code"], "trace.no_row");
    EXPECT_NE(run({"trace", "r", "--row", "0", "--input", "in the beginning"}).code, 0);
}

// Requested from the engine that trains, from a second program meanwhile, and from one that serves.
TEST_F(TrainingTest, RequestedTracesAreInTheRecord) {
    const auto requested = [&] {
        const auto reader = store::RunReader::open(runFolder("a"));
        auto rows = (*reader)->traces();
        std::erase_if(rows, [](const auto& row) { return row.prompt >= 0; });
        return rows;
    };
    {
        EngineProcess engine({"train", "small", "--run", "a", "--events", "--max-steps", "100000"},
                             project_.path());
        ASSERT_TRUE(engine.waitForType("checkpoint"));
        const auto beside = run({"trace", "a", "--input", "in the beginning", "--json", "--summary"});
        ASSERT_EQ(beside.code, 0) << beside.log;
        EXPECT_EQ(beside.log.find("not listed"), std::string::npos) << beside.log;
        engine.send({{"type", "trace"}, {"id", "t"}, {"input", "and the earth"}});
        ASSERT_TRUE(engine.waitForType("traced"));
        engine.send({{"type", "stop"}});
        EXPECT_EQ(engine.finish(), 130);
    }
    ASSERT_EQ(requested().size(), 2U);
    const auto bytes = [&] { return run({"runs", "--json"}).json()["runs"][0]["bytes"].get<std::int64_t>(); };
    const std::int64_t before = bytes();
    {
        EngineProcess engine({"sample", "a", "--serve"}, project_.path());
        ASSERT_TRUE(engine.waitFor([](const json& e) { return hasState(e, "serving"); }));
        engine.send({{"type", "trace"}, {"id", "s"}, {"input", "let there be light"}, {"what", {"latent"}}});
        ASSERT_TRUE(engine.waitForType("traced"));
        engine.closeInput();
        EXPECT_EQ(engine.finish(), 0);
    }
    const std::string elsewhere = project_ / "elsewhere.safetensors";
    ASSERT_EQ(run({"trace", "a", "--input", "x", "--out", elsewhere}).code, 0);
    const auto rows = requested();
    ASSERT_EQ(rows.size(), 3U) << "a file elsewhere is not part of the run";
    std::map<std::string, std::string> files;
    for (const auto& row : rows) {
        files[row.text] = row.path.text();
        EXPECT_EQ(row.sha256, *sha256File(runFolder("a") / row.path.text()));
    }
    for (const char* text : {"in the beginning", "and the earth", "let there be light"})
        EXPECT_TRUE(files.contains(text)) << text;
    const std::string light = files["let there be light"];
    EXPECT_GE(bytes(),
              before + static_cast<std::int64_t>(std::filesystem::file_size(runFolder("a") / light)));
    const std::string name = std::filesystem::path(light).filename();
    const auto exported = run({"export", "a", "--what", "trace", "--trace", name, "--format", "json"});
    EXPECT_EQ(json::parse(exported.output)["meta"]["prompt"], "let there be light");
    EXPECT_EQ(run({"verify", "a"}).code, 0);
}

}  // namespace
}  // namespace kurve::testing
