#include "core/interop/export_run.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/file.h"
#include "core/interop/scalar_log.h"
#include "core/interop/table_text.h"
#include "core/store/run_writer.h"
#include "core/store/safetensors.h"
#include "tests/support/chunk_trace.h"
#include "tests/support/temporary_folder.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Names = std::vector<std::string>;

TEST(TableText, CsvIsRfc4180) {
    TableText table(TableText::Form::Csv, Names{"a", "b,c"});
    table.add({"x \"y\"", "two\nlines"});
    table.add({std::int64_t{-3}, 0.1});
    table.add({std::string_view("plain"), -INFINITY});
    EXPECT_EQ(std::move(table).take(), "a,\"b,c\"\n\"x \"\"y\"\"\",\"two\nlines\"\n-3,0.1\nplain,-inf\n");
}

TEST(TableText, MarkdownCellsStayInTheirCells) {
    TableText table(TableText::Form::Markdown, Names{"a", "b"});
    table.add({"x|y", "two\nlines <b>"});
    table.add({"`[a](http://x)` *b* _c_ valid_loss &lt;", "\x1b[31m\xe2\x80\xae\r\\"});
    EXPECT_EQ(std::move(table).take(),
              "| a | b |\n| --- | --- |\n| x\\|y | two<br>lines \\<b\\> |\n"
              "| \\`\\[a\\](http://x)\\` \\*b\\* \\_c\\_ valid_loss \\&lt; | \\x1b\\[31m\\u202e\\\\ |\n");
}

class ExportRun : public ::testing::Test {
protected:
    void SetUp() override { runs_ = {makeRun("one", 0), makeRun("two", 100)}; }
    ExportedRun makeRun(const std::string& id, int offset) {
        auto writer = store::RunWriter::open(folder_ / id);
        EXPECT_TRUE(writer);
        for (int i = 0; i < 1500; ++i)
            (*writer)->scalar("loss, total", i, 1.8e9 + 0.5 * i,
                              i == 3   ? NAN
                              : i == 4 ? INFINITY
                                       : std::sin(i + offset) * std::pow(10, i % 30));
        (*writer)->scalar("valid_bleu", 7, 1.8e9, 20.25);
        (*writer)->sample({10, 0, "in | put", "out \"put\"", "ref", -1.25, {}});
        EXPECT_TRUE((*writer)->flush());
        return {id, *store::RunReader::open(folder_ / id)};
    }
    /// The same, bit by bit.
    static void expectSame(const store::Series& a, const store::Series& b) {
        EXPECT_EQ(a.step, b.step);
        EXPECT_EQ(a.wall, b.wall);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            EXPECT_TRUE(a.value[i] == b.value[i] || (std::isnan(a.value[i]) && std::isnan(b.value[i]))) << i;
    }
    [[nodiscard]] store::Series logged(std::size_t run) const {
        store::SeriesCursor cursor;
        store::Series series;
        runs_[run].reader->points("loss, total", cursor, series);
        return series;
    }

    kurve::testing::TemporaryFolder folder_;
    std::vector<ExportedRun> runs_;
};

TEST_F(ExportRun, WhatIsExportedIsImportedBitByBit) {
    const auto one = scalarsText(std::span(runs_).first(1), "csv", {});
    ASSERT_TRUE(one);
    ASSERT_TRUE(writeFileAtomically(folder_ / "one.csv", *one));
    const auto read = readCsvLog(folder_ / "one.csv", {});
    ASSERT_TRUE(read) << read.error().text();
    expectSame(read->front().attempts[0].curves.at("loss, total"), logged(0));

    const auto both = scalarsText(runs_, "csv", {"loss, total"});
    ASSERT_TRUE(both);
    ASSERT_TRUE(writeFileAtomically(folder_ / "both.csv", *both));
    const auto logs = readCsvLog(folder_ / "both.csv", {});
    ASSERT_TRUE(logs) << logs.error().text();
    ASSERT_THAT(*logs, SizeIs(2));
    EXPECT_EQ((*logs)[1].name, "two");
    expectSame((*logs)[1].attempts[0].curves.at("loss, total"), logged(1));
}

TEST_F(ExportRun, ScalarsAsJsonAndSafetensorsHaveEveryPoint) {
    const auto text = scalarsText(std::span(runs_).first(1), "json", {});
    ASSERT_TRUE(text);
    const json one = json::parse(*text);
    EXPECT_EQ(one["run"], "one");
    EXPECT_EQ(one["metrics"]["loss, total"]["value"][4], "inf");
    EXPECT_EQ(one["metrics"]["loss, total"]["step"].size(), 1500u);
    EXPECT_EQ(json::parse(*scalarsText(runs_, "json", {}))["runs"][1]["run"], "two");

    ASSERT_TRUE(writeScalars(folder_ / "s.safetensors", runs_, {}));
    const auto file = store::SafetensorsFile::open(folder_ / "s.safetensors");
    ASSERT_TRUE(file);
    const auto* values = (*file)->find("two/loss, total/value");
    ASSERT_NE(values, nullptr);
    store::Series read = logged(1);
    const auto span = values->as<double>();
    read.value = {span.begin(), span.end()};
    expectSame(read, logged(1));
    EXPECT_EQ((*file)->find("one/valid_bleu/step")->as<std::int64_t>()[0], 7);
}

TEST_F(ExportRun, AnUnknownMetricIsNamed) {
    const auto error = scalarsText(runs_, "csv", {"valid_blue"}).error();
    EXPECT_EQ(error.code, "export.no_metric");
    EXPECT_EQ(error.remedy, "did you mean valid_bleu?");
}

TEST_F(ExportRun, Samples) {
    EXPECT_EQ(*samplesText(std::span(runs_).first(1), "csv"),
              "step,prompt,input,output,reference,score\n10,0,in | put,\"out \"\"put\"\"\",ref,-1.25\n");
    EXPECT_THAT(*samplesText(runs_, "markdown"),
                HasSubstr("| two | 10 | 0 | in \\| put | out \"put\" | ref | -1.25 |"));
    EXPECT_EQ(json::parse(*samplesText(runs_, "json"))["runs"][0]["samples"][0]["score"], -1.25);
}

TEST(ExportConfig, EveryFormHasEverySetting) {
    auto schema = std::make_shared<Schema>();
    schema->family = "toy";
    schema->fields = {realField("train.lr", 0.5, "step size"), textField("data.train", "", "file")};
    const auto config =
        RunConfig::parse("family = \"toy\"\nname = \"n\"\n[data]\ntrain = \"a|b,c\"\n", "x.toml",
                         [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
                             return std::shared_ptr<const Schema>(schema);
                         });
    ASSERT_TRUE(config) << config.error().text();
    EXPECT_EQ(configText(*config, "toml"), config->canonicalText());
    EXPECT_EQ(configText(*config, "csv"),
              "key,value\nfamily,toy\nname,n\ntrain.lr,0.5\ndata.train,\"a|b,c\"\n");
    EXPECT_THAT(configText(*config, "markdown"), HasSubstr("| data.train | a\\|b,c |"));
    EXPECT_EQ(json::parse(configText(*config, "json"))["train.lr"], 0.5);
}

trace::Trace twoSteps() {
    trace::Trace t;
    t.steps = 2;
    t.positions = 3;
    t.tokens = {7, 8, 0, 7, 9, 0};
    t.state = {2, 2, 6, 3, 4, 6};
    t.confidence = t.entropy = t.margin = {0.5f, 0.25f, 0, 1, 0.75f, 0};
    t.topIds.assign(6 * trace::kTopCandidates, 7);
    t.topProbability.assign(6 * trace::kTopCandidates, 0.125f);
    t.t = {1, 0.5};
    t.logSnr = {-INFINITY, 0};
    t.tokenTexts = {{7, "▁the"}, {8, "▁cat"}, {9, "s"}, {0, "<pad>"}};
    return t;
}

TEST(ExportTrace, TablesAndJson) {
    const std::string csv = traceText(twoSteps(), "csv");
    EXPECT_THAT(csv, HasSubstr("\n2,0.5,0,1,9,s,flip,0.75,0.75,0.75\n"));
    EXPECT_THAT(csv, HasSubstr("\n1,1,-inf,0,7,▁the,new,0.5,0.5,0.5\n"));
    EXPECT_THAT(traceText(twoSteps(), "markdown"),
                HasSubstr("| 1 | 1 | -inf | the cat |\n| 2 | 0.5 | 0 | thes |\n"));
    const json document = json::parse(traceText(twoSteps(), "json"));
    EXPECT_EQ(document["frames"][1]["state"], json({"kept", "flip", "pad"}));
    EXPECT_EQ(document["frames"][0]["step"], 0);
    EXPECT_EQ(document["frames"][0]["log_snr"], "-inf");
}

TEST(ExportTrace, ChunksWithoutVocabularyLeaveTheirFieldsEmpty) {
    trace::Trace chunks = test::chunkTrace();
    trace::joinTexts(chunks);
    const std::string csv = traceText(chunks, "csv");
    EXPECT_THAT(csv, HasSubstr("\n4,0.5,1,1,3,▁c▁d,flip,,,\n")) << csv;
    EXPECT_THAT(traceText(chunks, "markdown"), HasSubstr("a b c d"));
    EXPECT_EQ(json::parse(traceText(chunks, "json"))["unit"], "chunk");
    EXPECT_FALSE(json::parse(traceText(chunks, "json"))["frames"][0].contains("entropy"));
    chunks.below = nullptr;
    chunks.spans.clear();
    chunks.tokens.clear();
    EXPECT_THAT(traceText(chunks, "csv"), HasSubstr("\n4,0.5,1,1,,,kept,,,\n"));
}

class ExportWeights : public ::testing::Test {
protected:
    void writeCheckpoint(const std::string& name, const char* file, const std::vector<float>& weights,
                         std::int64_t count, std::vector<std::int64_t> shape = {2, 2}) {
        fs::create_directories(folder_ / name);
        const std::vector<std::uint16_t> half{store::toHalf(weights[0]), store::toHalf(weights[1])};
        ASSERT_TRUE(
            store::writeSafetensors(folder_ / name / file,
                                    {{"net.weight", {"F32", shape, std::as_bytes(std::span(weights))}},
                                     {"net.bias", {"F16", {2}, std::as_bytes(std::span(half))}},
                                     {"steps", {"I64", {1}, std::as_bytes(std::span(&count, 1))}}},
                                    {}));
    }
    [[nodiscard]] std::shared_ptr<const store::SafetensorsFile> written() const {
        return *store::SafetensorsFile::open(folder_ / "out.safetensors");
    }
    kurve::testing::TemporaryFolder folder_;
};

TEST_F(ExportWeights, OneCheckpointIsCopiedBitByBitAveragedWeightsFirst) {
    writeCheckpoint("a", "weights.safetensors", {1, 2, 3, 4}, 5);
    const WeightsSource source{{folder_ / "a"}, {{"run", "r"}}};
    ASSERT_TRUE(writeWeights(folder_ / "out.safetensors", source));
    EXPECT_THAT(written()->find("net.weight")->as<float>(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(written()->find("net.bias")->dtype, "F16");
    EXPECT_EQ(written()->metadata().at("run"), "r");
    writeCheckpoint("a", "ema.safetensors", {5, 6, 7, 8}, 5);
    ASSERT_TRUE(writeWeights(folder_ / "out.safetensors", source));
    EXPECT_THAT(written()->find("net.weight")->as<float>(), ElementsAre(5, 6, 7, 8));
    EXPECT_EQ(*weightsText(source, "csv"),
              "tensor,dtype,shape,elements\nnet.bias,F16,2,2\nnet.weight,F32,2x2,4\nsteps,I64,1,1\n");
}

TEST_F(ExportWeights, SeveralBecomeTheirMean) {
    writeCheckpoint("a", "weights.safetensors", {1, 2, 3, 0.1f}, 5);
    writeCheckpoint("b", "weights.safetensors", {2, 4, 9, 0.2f}, 9);
    const WeightsSource source{{folder_ / "a", folder_ / "b"}, {}};
    ASSERT_TRUE(writeWeights(folder_ / "out.safetensors", source));
    EXPECT_THAT(written()->find("net.weight")->as<float>(),
                ElementsAre(1.5f, 3, 6, static_cast<float>((double{0.1f} + double{0.2f}) / 2)));
    EXPECT_EQ(written()->find("net.bias")->dtype, "F32");
    EXPECT_EQ(written()->find("steps")->as<std::int64_t>()[0], 5);
    writeCheckpoint("b", "weights.safetensors", {2, 4, 9, 0}, 9, {4, 1});
    const auto status = writeWeights(folder_ / "out.safetensors", source);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, "checkpoint.shape");
    EXPECT_EQ(status.error().field, "net.weight");
}

}  // namespace
}  // namespace kurve::interop
