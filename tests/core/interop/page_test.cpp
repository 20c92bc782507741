// The written pages: whole in themselves, with the right numbers, and drawn by scripts that Node runs where
// it is installed.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <regex>

#include "core/base/file.h"
#include "core/frontier/sweep_point.h"
#include "core/interop/detail/report_data.h"
#include "core/interop/report.h"
#include "core/interop/trace_player.h"
#include "core/metrics/metric.h"
#include "core/store/evaluations.h"
#include "core/store/run_writer.h"
#include "tests/support/chunk_trace.h"
#include "tests/support/temporary_folder.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

json dataOf(const std::string& page) {
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const auto begin = page.find(open) + open.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Anything that a browser would fetch.
std::vector<std::string> references(std::string page) {
    std::vector<std::string> found;
    const std::regex expression(
        R"((src|href)\s*=\s*["'][^#"'][^"']*|url\s*\(|@import|https?:|fetch\(|XMLHttp|import\()");
    for (auto it = std::sregex_iterator(page.begin(), page.end(), expression); it != std::sregex_iterator();
         ++it)
        found.push_back(it->str());
    return found;
}

class Report : public ::testing::Test {
protected:
    void SetUp() override {
        std::ofstream(folder_ / "project.toml") << "name = \"Test </script> & more\"\n";
        makeRun("one", "<b>first</b>", "lr = 1.0\nrho = 2.0\n", {"a b c d e", "x y"});
        makeRun("two", "second", "lr = 1.0\nrho = 3.0\n", {"a b c d f", "x y"});
    }
    void makeRun(const std::string& id, const std::string& name, const std::string& train,
                 const std::vector<std::string>& outputs) {
        auto writer = store::RunWriter::open(folder_ / ("runs/" + id));
        ASSERT_TRUE(writer);
        for (const auto& [key, value] : std::map<std::string, std::string>{
                 {"id", id},
                 {"name", name},
                 {"family", "toy"},
                 {"state", "completed"},
                 {"started", "1000"},
                 {"ended", "1200"},
                 {"parameters", "1234567"},
                 {"config", "family = \"toy\"\nname = \"x\"\n[train]\n" + train}})
            (*writer)->set(key, value);
        for (int i = 0; i < 200; ++i) {
            (*writer)->scalar("loss", i, 1000 + i, i == 7 ? NAN : i == 8 ? INFINITY : 5.0 / (i + 1));
            (*writer)->scalar("tokens_seen", i, 1000 + i, 100.0 * i);
        }
        (*writer)->scalar("valid_bleu", 199, 1199, id == "one" ? 40 : 42);
        const std::vector<std::string> inputs{"p one", "p two"}, wanted{"a b c d e", "x y"};
        for (std::size_t i = 0; i < 2; ++i) {
            (*writer)->sample({100, static_cast<int>(i), inputs[i], "early", wanted[i], 0, {}});
            (*writer)->sample({199, static_cast<int>(i), inputs[i], outputs[i], wanted[i], -0.5, {}});
        }
        ASSERT_TRUE((*writer)->flush());
    }
    [[nodiscard]] store::Project project() const { return *store::Project::open(folder_.path()); }
    [[nodiscard]] Result<std::string> page(const std::vector<std::string>& runs = {"one", "two"},
                                           const ReportOptions& options = {}) const {
        return reportHtml(project(), runs, options);
    }
    [[nodiscard]] fs::path write(const std::string& name, const json& document) const {
        std::ofstream(folder_ / name) << document;
        return folder_ / name;
    }
    kurve::testing::TemporaryFolder folder_;
};

TEST_F(Report, NeedsNothingFromOutside) {
    const auto text = page();
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_THAT(references(*text), IsEmpty());
    EXPECT_THAT(*text, HasSubstr("default-src 'none'"));
    EXPECT_THAT(references("<img src=\"x.png\">"), SizeIs(1));  // the search itself finds what it is for
}

TEST_F(Report, TheLastValueOfARunThatDivergedIsThatItDid) {
    (*store::RunWriter::open(folder_ / "runs/two"))->scalar("loss", 200, 1200, INFINITY);
    const json runs = dataOf(*page())["runs"];
    EXPECT_EQ(runs[0]["last"]["loss"], 5.0 / 200);
    EXPECT_EQ(runs[1]["last"]["loss"], "inf");
}

frontier::SweepPoint sweepPoint(const std::string& run, int steps, double distinct, double chrf) {
    frontier::SweepPoint point;
    point.run = run;
    point.checkpoint = "/home/ann/project/runs/a/checkpoints/step-10";
    point.split = "valid";
    point.reference = "r";
    point.settings = {{"sampler.steps", std::to_string(steps)}};
    point.seeds = {1, 2};
    point.sentences = 50;
    point.quality["chrf"] = {chrf, chrf - 2, chrf + 3, 50, "", {chrf, chrf}};
    point.quality["bleu"] = {chrf / 2, chrf / 2 - 1, chrf / 2 + 1, 50, "", {}};
    point.diversity["distinct-2"] = {distinct, distinct - 0.1, distinct + 0.1, 50, "", {distinct, distinct}};
    point.referenceDiversity["distinct-2"] = 0.9;
    point.cost.seconds = 5;
    return point;
}

// Worked out: (0.5, 40) and (0.8, 30) are on the front of "one", (0.4, 35) is beaten; the corner of all
// points is (0.4, 20).
TEST_F(Report, ShowsFrontsOfAccuracyAndDiversityWithTheirCaveats) {
    EXPECT_THAT(dataOf(*page())["fronts"], IsEmpty());
    const auto put = [&](const std::string& run, const std::string& hash, const frontier::SweepPoint& point) {
        ASSERT_TRUE(frontier::savePoint(frontier::pointFile(folder_ / ("runs/" + run), hash), point));
    };
    put("one", "a", sweepPoint("one", 1, 0.5, 40));
    put("one", "b", sweepPoint("one", 8, 0.8, 30));
    put("one", "c", sweepPoint("one", 2, 0.4, 35));
    put("two", "d", sweepPoint("two", 1, 0.6, 20));
    auto other = sweepPoint("two", 4, 0.9, 90);
    other.sentences = 7;
    put("two", "e", other);
    std::ofstream(folder_ / "runs/two/sweeps/torn.json") << "{";
    ReportOptions options;
    options.planes = {{"chrf", "distinct-2"}};
    const std::string text = *page({"one", "two"}, options);
    EXPECT_THAT(references(text), IsEmpty());
    const json fronts = dataOf(text)["fronts"];
    ASSERT_THAT(fronts, SizeIs(1));
    const json& plane = fronts[0];
    EXPECT_EQ(plane["quality"]["id"], "chrf");
    EXPECT_EQ(plane["corner"], json({0.4, 20.0}));
    EXPECT_EQ(plane["reference"], 0.9);
    ASSERT_THAT(plane["curves"], SizeIs(2));
    EXPECT_EQ(plane["curves"][0]["front"], json({0, 1}));
    EXPECT_NEAR(plane["curves"][0]["hypervolume"], 0.1 * 20 + 0.3 * 10, 1e-9);
    EXPECT_NEAR(plane["curves"][0]["from_reference"], -0.4, 1e-9);
    EXPECT_EQ(plane["curves"][0]["checkpoint"], "step-10");
    EXPECT_EQ(plane["curves"][0]["points"][1]["settings"], "steps 8");
    EXPECT_EQ(plane["curves"][0]["points"][1]["y_ci95"], json({28.0, 33.0})) << "the file's own bounds";
    EXPECT_EQ(plane["curves"][0]["points"][1]["milliseconds"], 50.0);
    std::string notes;
    for (const auto& note : plane["notes"]) notes += note.get<std::string>() + "\n";
    EXPECT_THAT(notes, HasSubstr("50 sentences of the valid split, 2 seeds"));
    EXPECT_THAT(notes, HasSubstr("Fewer than three seeds"));
    EXPECT_THAT(notes, HasSubstr("Excluded: other evaluation settings (1 point"));
    EXPECT_THAT(notes, HasSubstr("torn.json"));
    EXPECT_THAT(dataOf(*page())["fronts"], SizeIs(1)) << "without a choice: the plane that most points have";
    const std::vector<std::string> runs{"one", "two"};
    EXPECT_TRUE(checkPlanes(project(), runs, options.planes));
    const Status missing = checkPlanes(project(), runs, std::vector<ReportPlane>{{"chrf", "entropy"}});
    ASSERT_FALSE(missing) << "a requested plane without points";
    EXPECT_THAT(missing.error().text(), HasSubstr("both chrf and entropy"));
    EXPECT_THAT(missing.error().remedy, HasSubstr("distinct-2"));
}

TEST_F(Report, IncludesStoredEvaluations) {
    const auto scored = [](const std::string& run, double bleu) {
        return json{
            {"run", run},
            {"checkpoint", "best"},
            {"split", "test"},
            {"metrics",
             {{"bleu", {{"value", bleu}, {"ci95", {bleu - 1, bleu + 1}}, {"n", 50}, {"signature", "s"}}}}}};
    };
    ASSERT_TRUE(store::saveEvaluation(folder_ / "runs/one", scored("one", 33)));
    ASSERT_TRUE(store::saveEvaluation(folder_ / "runs/two", scored("two", 44)));
    std::ofstream(folder_ / "runs/two/evaluations/torn.json") << "{";
    std::ofstream(folder_ / "runs/two/evaluations/deep.json")
        << R"({"run":"two","metrics":{"bleu":{"value":1,"ci95":[0,2]}},"sampler":{"x":)"
        << std::string(100000, '[') + std::string(100000, ']') << "}}";
    const json data = dataOf(*page());
    EXPECT_EQ(data["scores"][0]["source"], "test split");
    EXPECT_EQ(data["scores"][0]["values"][1]["value"], 44.0);
    EXPECT_EQ(data["scores"][0]["values"][1]["checkpoint"], "best");
    ASSERT_THAT(data["score_problems"], SizeIs(2));
    const json& problems = data["score_problems"];
    EXPECT_THAT(problems.dump(), AllOf(HasSubstr("torn.json"), HasSubstr("deep.json")));
}

// A score of every fourth place is no rival of one of every place.
TEST_F(Report, ScoresOfOtherSettingsHaveTheirOwnRows) {
    for (const auto& [run, every] : {std::pair{"one", "4"}, {"two", "1"}}) {
        const json score{{"value", 5}, {"ci95", {4, 6}}, {"signature", std::string("x|every:") + every}};
        const json document{
            {"run", run}, {"checkpoint", "best"}, {"split", "test"}, {"metrics", {{"brierlm", score}}}};
        ASSERT_TRUE(store::saveEvaluation(folder_ / "runs" / run, document));
    }
    const json scores = dataOf(*page())["scores"];
    std::map<std::string, json> rows;
    for (const auto& row : scores)
        if (row["metric"] == "brierlm") rows[row["source"]] = row["values"];
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows["test split, every=4"][0]["value"], 5);
    EXPECT_TRUE(rows["test split, every=4"][1].is_null());
    EXPECT_EQ(rows["test split, every=1"][1]["value"], 5);
}

TEST(ReportMetrics, OfSavedScoresAreDescribedWhateverTheirSettings) {
    const auto of = [](const char* id) { return detail::metricJson(id, detail::scalarsOf({})); };
    EXPECT_EQ(of("eval_test_self-bleu")["higher_is_better"], false);
    EXPECT_EQ(of("eval_test_self-bleu@limit=10")["higher_is_better"], false);
    EXPECT_EQ(of("eval_test_bleu@seed=7")["title"], "BLEU (test, seed=7)");
    EXPECT_EQ(of("eval_test_gen_ppl@seed=7")["title"], "Gen. perplexity (test, seed=7)");
    EXPECT_EQ(of("eval_test_ppl@seed=7")["higher_is_better"], false);
    EXPECT_EQ(of("eval_test_brierlm@every=4")["higher_is_better"], true);
}

// A name that would end the element of the data, and so let the rest run as markup.
TEST_F(Report, NamesStayText) {
    const std::string text = *page();
    EXPECT_EQ(dataOf(text)["project"], "Test </script> & more");
    std::size_t ends = 0;
    for (auto at = text.find("</script>"); at != text.npos; at = text.find("</script>", at + 1)) ++ends;
    EXPECT_EQ(ends, 2u);
    EXPECT_THAT(text, HasSubstr("<title>&lt;b&gt;first&lt;/b&gt; and second</title>"));
}

TEST_F(Report, HoldsEveryPointAndWhatTheyAre) {
    const json data = dataOf(*page());
    const json& loss = data["runs"][0]["curves"]["loss"];
    ASSERT_EQ(loss["step"].size(), 200u);
    EXPECT_EQ(loss["value"][7], "nan");
    EXPECT_EQ(loss["value"][8], "inf");
    EXPECT_EQ(loss["value"][199], 5.0 / 200);
    EXPECT_EQ(loss["seconds"][10], 10.0);
    EXPECT_EQ(data["runs"][0]["curves"]["valid_bleu"]["seconds"][0], 199.0) << "the same clock";
    EXPECT_EQ(data["runs"][0]["last"]["valid_bleu"], 40.0);
    EXPECT_EQ(data["runs"][0]["seconds"], 200.0);
    EXPECT_EQ(data["runs"][1]["config"]["train.rho"], "3");
    std::vector<std::string> metrics;
    for (const auto& metric : data["metrics"]) metrics.push_back(metric["id"]);
    EXPECT_THAT(metrics, ElementsAre("valid_bleu", "loss", "tokens_seen"));
    EXPECT_EQ(data["metrics"][1]["title"], "Loss");
    EXPECT_EQ(data["metrics"][0]["higher_is_better"], true);
}

TEST_F(Report, ScoresThePromptsWithIntervals) {
    const json scores = dataOf(*page())["scores"];
    std::map<std::string, json> byMetric;
    for (const auto& row : scores) byMetric[row["metric"]] = row["values"];
    const std::vector<std::string> outputs{"a b c d f", "x y"}, wanted{"a b c d e", "x y"};
    const auto bleu = metrics::score("bleu", {outputs, wanted, {}});
    ASSERT_TRUE(bleu);
    EXPECT_EQ(byMetric["bleu"][1]["value"], bleu->value);
    EXPECT_EQ(byMetric["bleu"][1]["low"], bleu->low);
    EXPECT_EQ(byMetric["exact-match"][0]["value"], 1.0);
    EXPECT_EQ(byMetric["exact-match"][1]["value"], 0.5);
    EXPECT_EQ(byMetric["exact-match"][1]["n"], 2);
    EXPECT_EQ(byMetric["bleu"][1]["other_texts"], false);
    auto writer = store::RunWriter::open(folder_ / "runs/two");
    (*writer)->sample({199, 2, "p three", "z", "z", 0, {}});
    ASSERT_TRUE((*writer)->flush());
    const json again = dataOf(*page())["scores"];
    for (const auto& row : again) EXPECT_EQ(row["values"][1]["other_texts"], true);
}

TEST_F(Report, TakesTheScoresOfEvaluations) {
    ReportOptions options;
    options.evaluations = {
        write("two.json", {{"run", "two"},
                           {"split", "test"},
                           {"metrics", {{"bleu", {{"value", 30}, {"ci95", {28, 32}}, {"n", 500}}}}}})};
    const json scores = dataOf(*page({"one", "two"}, options))["scores"];
    EXPECT_EQ(scores[0]["source"], "test split");
    EXPECT_EQ(scores[0]["values"][0], nullptr);
    EXPECT_EQ(scores[0]["values"][1]["high"], 32);
    options.evaluations = {write("other.json", {{"run", "three"}, {"metrics", json::object()}})};
    EXPECT_THAT(page({"one"}, options).error().message, HasSubstr("of run three"));
    options.evaluations = {write("bad.json", {{"run", "one"}, {"metrics", {{"bleu", 3}}}})};
    EXPECT_EQ(page({"one"}, options).error().code, "report.evaluation");
}

ReportView someView() {
    ReportView view;
    view.metric = "valid_bleu";
    view.axis = "tokens";
    view.y = "log";
    view.smoothing = "median";
    view.hidden = {"two"};
    view.groupedBy = "train.rho";
    view.groups = {{"rho 2", {"one", "three", "gone"}}, {"rho 3", {"two", "four"}}};
    view.values = {{"last:valid_bleu", "BLEU"}, {"low:loss", "lowest loss"}, {"last:none", "nothing"}};
    view.sampleStep = 150;
    view.diffAgainst = "one";
    return view;
}

TEST_F(Report, FreezesTheComparisonWithItsGroups) {
    makeRun("three", "third", "lr = 1.0\nrho = 2.0\n", {"a", "b"});  // BLEU of 42, as of all but the first
    makeRun("four", "fourth", "lr = 1.0\nrho = 3.0\n", {"a", "b"});
    ReportOptions options;
    options.view = someView();
    const json view = dataOf(*page({"one", "two", "three", "four"}, options))["view"];
    EXPECT_EQ(view["axis"], "tokens");
    EXPECT_EQ(view["smoothing"]["kind"], "median");
    EXPECT_EQ(view["sample_step"], 150);
    EXPECT_THAT(view["groups"][0]["runs"], ElementsAre("one", "three"));
    EXPECT_NEAR(view["quantiles"][2].get<double>(), 4.302652729749, 1e-9);  // printed tables
    const json rows = view["table"]["rows"];
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0]["base"], true);
    EXPECT_EQ(rows[1]["hidden"], 1);
    const json bleu = rows[0]["cells"][0];  // 40 and 42: 41 ± t(0.975, 1) · 1
    EXPECT_EQ(bleu["n"], 2);
    EXPECT_NEAR(bleu["mean"].get<double>(), 41, 1e-12);
    EXPECT_NEAR(bleu["half"].get<double>(), 12.706204736, 1e-8);
    EXPECT_EQ(bleu["least"], 40);
    EXPECT_FALSE(bleu.contains("difference"));
    const json other = rows[1]["cells"][0];  // 42 and 42
    EXPECT_EQ(other["difference"], 1);
    EXPECT_NEAR(other["difference_half"].get<double>(), 12.706204736, 1e-8) << "one side varies: its degrees";
    EXPECT_EQ(other["distinguishable"], false);
    EXPECT_EQ(rows[0]["cells"][1]["mean"], 5.0 / 200) << "lowest loss";
    EXPECT_EQ(rows[0]["cells"][2], json({{"n", 0}}));
}

TEST_F(Report, RefusesUnknownRunsAndMetrics) {
    EXPECT_EQ(page({"one", "tow"}).error().code, "run.missing");
    EXPECT_EQ(page({"one", "tow"}).error().remedy, "did you mean two?");
    ReportOptions options;
    options.metrics = {"los"};
    EXPECT_EQ(page({"one"}, options).error().remedy, "did you mean loss?");
    options.metrics = {"loss"};
    options.sections = {"curves"};
    const json data = dataOf(*page({"one"}, options));
    EXPECT_EQ(data["metrics"].size(), 1u);
    EXPECT_EQ(data["sections"], json({"curves"}));
}

// Whatever is left out, no extreme, end or gap is, and no point is made up.
TEST(Thinned, KeepsExtremesEndsAndGaps) {
    store::Series series;
    std::uint32_t state = 5;
    for (int i = 0; i < 10'000; ++i) {
        state = state * 1664525u + 1013904223u;
        series.step.push_back(3 * i);
        series.wall.push_back(i);
        const double value = i == 4321 ? 1e9 : i == 8765 ? -1e9 : static_cast<double>(state % 100000);
        series.value.push_back(i == 5000 ? NAN : value);
    }
    const auto kept = detail::thinned(series, 400);
    EXPECT_LE(kept.size(), 500u);
    EXPECT_EQ(kept.step.front(), 0);
    EXPECT_EQ(kept.step.back(), 29'997);
    bool low = false, high = false, gap = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto at = static_cast<std::size_t>(kept.step[i] / 3);
        EXPECT_TRUE(kept.value[i] == series.value[at] || std::isnan(kept.value[i]));
        low |= kept.value[i] == -1e9;
        high |= kept.value[i] == 1e9;
        gap |= std::isnan(kept.value[i]);
        if (i > 0) EXPECT_LT(kept.step[i - 1], kept.step[i]);
    }
    EXPECT_TRUE(low && high && gap);
    EXPECT_EQ(detail::thinned(series, 10'000).size(), 10'000u);
}

trace::Trace smallTrace() {
    trace::Trace t;
    t.meta = {{"prompt", "the </script> cat"}, {"family", "sclm"}};
    t.steps = 2;
    t.positions = 2;
    t.tokens = {7, 8, 7, 9};
    t.state = {2, 2, 3, 4};
    t.confidence = t.entropy = t.margin = {0.5f, 0.25f, 1, 0.75f};
    t.topIds.assign(4 * trace::kTopCandidates, 7);
    t.topProbability.assign(4 * trace::kTopCandidates, 0.125f);
    t.t = {1, 0.5};
    t.logSnr = {-INFINITY, 0};
    t.tokenTexts = {{7, "▁the"}, {8, "▁<b>"}, {9, "▁dog"}};
    return t;
}

TEST(TracePlayer, HoldsTheWholeTrace) {
    const std::string page = tracePlayerHtml(smallTrace());
    EXPECT_THAT(references(page), IsEmpty());
    const json data = dataOf(page);
    EXPECT_EQ(data["tokens"], json({7, 8, 7, 9}));
    EXPECT_EQ(data["state"], json({2, 2, 3, 4}));
    EXPECT_EQ(data["confidence"][1], 0.25);
    EXPECT_EQ(data["log_snr"][0], "-inf");
    EXPECT_EQ(data["token_texts"]["9"], "▁dog");
    EXPECT_EQ(data["title"], "the </script> cat");
}

TEST(TracePlayer, HoldsChunksWithoutVocabulary) {
    trace::Trace chunks = test::chunkTrace();
    trace::joinTexts(chunks);
    const json data = dataOf(tracePlayerHtml(chunks));
    EXPECT_EQ(data["unit"], "chunk");
    EXPECT_EQ(data["state"].size(), 18U);
    EXPECT_EQ(data["confidence"], json::array());
    EXPECT_EQ(data["top_ids"], json::array());
}

TEST(TracePlayer, HasTheDeclaredMarks) {
    trace::Trace t = smallTrace();
    EXPECT_EQ(dataOf(tracePlayerHtml(t))["will_mask"], json::array());
    EXPECT_EQ(dataOf(tracePlayerHtml(t))["committed"], json::array());
    t.blocks["will_mask"] = {{2, 2}, {0, 1, 0, 0}};
    t.blocks["committed"] = {{2, 2}, {0, 0, 1, 0}};
    t.state[2] = static_cast<std::uint8_t>(trace::TokenState::Remask);  // so the step before was to mask it
    const json data = dataOf(tracePlayerHtml(t));
    EXPECT_EQ(data["will_mask"], json({1, 1, 0, 0}));
    EXPECT_EQ(data["committed"], json({0, 0, 1, 0}));
}

/// Runs tests/core/interop/page_test.js.
class Scripts : public Report {
protected:
    void SetUp() override {
        ASSERT_EQ(std::system("node --version > /dev/null 2>&1"), 0)
            << "node is not installed: packaging/setup installs it";
        Report::SetUp();
    }
    struct Outcome {
        int code = 0;
        std::string output;
    };
    [[nodiscard]] Outcome node(const std::string& argument = "") const {
        const fs::path root = KURVE_SOURCE_DIR;
        const fs::path out = folder_ / "out.txt";
        const std::string command =
            fmt::format("node '{}' '{}' {} > '{}' 2>&1", (root / "tests/core/interop/page_test.js").string(),
                        (root / "assets/pages").string(), argument, out.string());
        const int code = std::system(command.c_str());
        return {code, *readFile(out)};
    }
    [[nodiscard]] json drawn(const std::string& page) const {
        std::ofstream(folder_ / "page.html", std::ios::binary) << page;
        const Outcome outcome = node("'" + (folder_ / "page.html").string() + "'");
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        return json::parse(outcome.output, nullptr, false);
    }
};

TEST_F(Scripts, DoWhatTheySay) {
    const Outcome outcome = node();
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(Scripts, DrawTheReport) {
    const json drawing = drawn(*page());
    const std::string body = drawing["body"];
    EXPECT_THAT(body, HasSubstr("&#60;b&#62;first&#60;/b&#62;"));
    EXPECT_THAT(body, Not(HasSubstr("<b>first")));
    EXPECT_THAT(body, HasSubstr("kurve-studio"));
    EXPECT_THAT(body, HasSubstr("▲ 2"));  // BLEU of 42 against 40
    EXPECT_THAT(body, HasSubstr("train.rho"));
    EXPECT_THAT(body, HasSubstr("a b c d <s>e</s> <mark>f</mark>"));
    EXPECT_THAT(body, HasSubstr("1\u202f234\u202f567"));
    for (const auto& [id, svg] : drawing["charts"].items()) {
        const std::string text = svg;
        EXPECT_THAT(text, Not(HasSubstr("NaN"))) << id;
        EXPECT_THAT(text, HasSubstr("class=\"curve r1\"")) << id;
    }
}

TEST_F(Scripts, DrawTheReportAsTheStudioDid) {
    ReportOptions options;
    options.view = someView();
    const json drawing = drawn(*page({"one", "two"}, options));
    const std::string body = drawing["body"];
    EXPECT_THAT(body, HasSubstr("rho 2"));
    EXPECT_THAT(body, HasSubstr("1 hidden"));
    EXPECT_THAT(body, HasSubstr("no interval")) << "one member each";
    EXPECT_THAT(body, HasSubstr("<option value=\"tokens\" selected>"));
    EXPECT_THAT(body, HasSubstr("<option value=\"median\" selected>"));
    EXPECT_THAT(body, HasSubstr("early")) << "the outputs of the step before 150";
    EXPECT_THAT(body, HasSubstr("Word diff against &#60;b&#62;first"));
    EXPECT_LT(body.find("BLEU"), body.find("class=\"chart\""));
    for (const auto& [id, svg] : drawing["grouped"].items()) {
        const std::string text = svg;
        EXPECT_THAT(text, Not(HasSubstr("NaN"))) << id;
        EXPECT_THAT(text, HasSubstr("class=\"curve r1\"")) << id << ": hidden runs are members";
    }
    const std::string plain = drawing["charts"]["loss step"];
    EXPECT_THAT(plain, Not(HasSubstr("class=\"curve r1\""))) << "hidden runs are not drawn for themselves";
}

TEST_F(Scripts, DrawTheTrace) {
    const json drawing = drawn(tracePlayerHtml(smallTrace()));
    ASSERT_THAT(drawing["steps"], SizeIs(2));
    const std::string first = drawing["steps"][0], second = drawing["steps"][1];
    EXPECT_THAT(first, HasSubstr("token new"));
    EXPECT_THAT(first, HasSubstr("&#60;b&#62;"));
    EXPECT_THAT(second, HasSubstr("token flip"));
    EXPECT_THAT(second, HasSubstr("<span class=\"was\">&#60;b&#62;</span>"));
}

}  // namespace
}  // namespace kurve::interop
