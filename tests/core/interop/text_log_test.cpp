// CSV and JSONL as spreadsheets, Python's csv and json modules and loggers write them.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/interop/scalar_log.h"
#include "tests/support/temporary_folder.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::Not;
using ::testing::SizeIs;

class TextLog : public ::testing::Test {
protected:
    [[nodiscard]] Result<std::vector<ScalarLog>> csv(const std::string& text, ReadOptions options = {},
                                                     const std::string& name = "log.csv") const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return readCsvLog(folder_ / name, options);
    }
    [[nodiscard]] Result<std::vector<ScalarLog>> jsonl(const std::string& text,
                                                       ReadOptions options = {}) const {
        std::ofstream(folder_ / "log.jsonl", std::ios::binary) << text;
        return readJsonLog(folder_ / "log.jsonl", options);
    }
    static const store::Series& curve(const Result<std::vector<ScalarLog>>& logs, const std::string& metric,
                                      std::size_t run = 0) {
        if (!logs) throw std::runtime_error(logs.error().text());
        return logs->at(run).attempts.at(0).curves.at(metric);
    }
    kurve::testing::TemporaryFolder folder_;
};

// The header of Lightning's metrics.csv, with the holes it has.
TEST_F(TextLog, WideCsvHasAColumnAMetric) {
    const auto logs = csv("epoch,step,train_loss,val_loss\r\n0,49,2.5,\r\n0,99,,1.25\r\n1,149,nan,-inf\r\n");
    EXPECT_THAT(curve(logs, "train_loss").step, ElementsAre(49, 149));
    EXPECT_THAT(curve(logs, "train_loss").value, ElementsAre(2.5, IsNan()));
    EXPECT_THAT(curve(logs, "val_loss").value, ElementsAre(1.25, -INFINITY));
    EXPECT_THAT(curve(logs, "epoch").value, ElementsAre(0, 0, 1));
    EXPECT_THAT(logs->front().notes, IsEmpty());
}

TEST_F(TextLog, LongCsvHasARowAPointAndARunAColumn) {
    const auto logs = csv("run,tag,step,value\nb,loss,1,0.5\na,loss,1,0.25\nb,\"x, \"\"y\"\"\",2.0,1e3\n");
    ASSERT_TRUE(logs);
    ASSERT_THAT(*logs, SizeIs(2));
    EXPECT_EQ((*logs)[0].name, "a");
    EXPECT_THAT(curve(logs, "loss", 1).value, ElementsAre(0.5));
    EXPECT_THAT(curve(logs, "x, \"y\"", 1).step, ElementsAre(2));
}

TEST_F(TextLog, SaysHowToSaveASpreadsheet) {
    const std::string wide("s\0t\0e\0p\0", 8);
    for (const std::string& mark : {std::string("\xFF\xFE"), std::string("\xFE\xFF")}) {
        EXPECT_THAT(csv(mark + wide).error().text(), HasSubstr("UTF-16 text; save it as UTF-8"));
        EXPECT_EQ(jsonl(mark + wide).error().code, "import.encoding");
    }
    EXPECT_THAT(csv("step,loss\r1,2\r2,1\r").error().text(), HasSubstr("end with CR alone"));
    const auto comma = csv("step;loss;lr\n1;2,5;1\n2;1,25;2\n");
    ASSERT_TRUE(comma);
    EXPECT_THAT(comma->front().notes,
                ElementsAre("\"loss\" has no numbers, such as 2,5, which needs a decimal point; left out"));
}

TEST_F(TextLog, KnowsTheColumnsOfOtherPrograms) {
    const auto board = csv("Wall time,Step,Value\n1700000000.5,3,0.75\n", {}, "run-train-tag-loss_total.csv");
    EXPECT_THAT(curve(board, "loss_total").value, ElementsAre(0.75));
    EXPECT_THAT(curve(board, "loss_total").wall, ElementsAre(1700000000.5));
    const auto bias = csv("Step;_timestamp;loss\n0;2023-11-14T22:13:20.25Z;1\n1;2023-11-14 22:13:21;2\n");
    EXPECT_THAT(curve(bias, "loss").wall, ElementsAre(1700000000.25, 1700000001));  // date -u -d @1700000000
    EXPECT_THAT(curve(csv("\xEF\xBB\xBFglobal_step\tloss\n7\t1\n"), "loss").step, ElementsAre(7));
}

// DataFrame.to_csv() puts its index in front, under no name.
TEST_F(TextLog, AColumnWithoutANameIsNoMetric) {
    const auto logs = csv(",step,loss\n0,1,2.5\n1,2,2.25\n");
    EXPECT_THAT(curve(logs, "loss").value, ElementsAre(2.5, 2.25));
    EXPECT_THAT(logs->at(0).attempts.at(0).curves, SizeIs(1));
    EXPECT_THAT(logs->front().notes, ElementsAre("column 1 left out: no name"));
}

TEST_F(TextLog, CsvNamesTheBadLine) {
    const auto bad = [&](const std::string& text) { return csv(text).error(); };
    Error error = bad("step,loss\n1,2\n2,x\n");
    EXPECT_EQ(error.code, "import.line");
    EXPECT_EQ(error.line, 3);
    EXPECT_EQ(error.field, "loss");
    EXPECT_THAT(error.message, HasSubstr("\"x\" is not a number"));
    EXPECT_EQ(bad("step,loss\n\n\n1,2,3\n").line, 4);
    EXPECT_EQ(bad("step,loss,note\n1,2,\"two\nlines\"\n1.5,2,\n").line, 4);
    EXPECT_EQ(bad("step,loss,wall\n1,2,yesterday\n").field, "wall");
    EXPECT_EQ(bad("step,loss,wall\n1,2,1764200000000\n").field, "wall") << "milliseconds";
    const auto nanoseconds = jsonl("{\"step\": 1, \"timestamp\": 1764200000000000000, \"loss\": 2}\n");
    ASSERT_FALSE(nanoseconds);
    EXPECT_EQ(nanoseconds.error().field, "timestamp");
    EXPECT_EQ(bad("tag,step,value\na,1,one\n").line, 2);
    EXPECT_EQ(bad("epoch,loss\n1,2\n").code, "import.header");
    EXPECT_THAT(bad("step,loss,loss\n1,2,3\n").message, HasSubstr("two columns are named \"loss\""));
    EXPECT_EQ(bad("").code, "import.empty");
    EXPECT_EQ(bad("step,loss\n").code, "import.empty");
    error = bad("step;loss\n0;1,5\n1;1,25\n");
    EXPECT_EQ(error.code, "import.empty");
    EXPECT_THAT(error.message, HasSubstr("\"loss\" is text throughout, such as \"1,5\""));
    EXPECT_THAT(error.remedy, HasSubstr("with a decimal point"));
}

// A block of zeros is what a machine that lost power leaves in a file.
TEST_F(TextLog, BytesThatAreNotTextAreEscaped) {
    const std::string zeros("step,loss\n0,1\n1,\0\0002\n2,3\n", 24);
    EXPECT_THAT(csv(zeros).error().text(), HasSubstr(R"(log.csv:3: loss: "\x00\x002" is not a number; fix)"));
    EXPECT_THAT(csv("\x1B\x80").error().text(), HasSubstr(R"(name is not UTF-8: \x1B\x80; save the file)"));
    EXPECT_THAT(csv("loss\x07\n").error().text(), Not(HasSubstr("\x07")));
}

TEST_F(TextLog, AnUnclosedQuoteIsNamed) {
    const std::string open = "step,loss\n0,3\n1,\"2\n2,1\n3,0\n";
    EXPECT_THAT(csv(open).error().text(), HasSubstr("log.csv:3: unclosed quote; fix"));
    const auto rest = csv(open, {.skipBad = true});
    EXPECT_THAT(curve(rest, "loss").step, ElementsAre(0));
    EXPECT_THAT(rest->front().notes, ElementsAre("line 3 left out: unclosed quote"));
}

TEST_F(TextLog, BadLinesCanBeLeftOut) {
    const auto logs = csv("step,loss,phase\n1,2,a\n2,3\nx,4,a\n4,oops,a\n5,6,a\n", {.skipBad = true});
    EXPECT_THAT(curve(logs, "loss").step, ElementsAre(1, 5));
    EXPECT_THAT(logs->front().notes,
                ElementsAre(HasSubstr("line 3 left out: has 2 cells"), HasSubstr("line 4 left out: step"),
                            HasSubstr("line 5 left out: loss"), HasSubstr("\"phase\" has no numbers")));
}

TEST_F(TextLog, AHalfWrittenLastLineIsANote) {
    const auto logs = csv("step,a,b\n1,2,3\n2,4");
    EXPECT_THAT(curve(logs, "a").step, ElementsAre(1));
    EXPECT_THAT(logs->front().notes, ElementsAre("line 3 is cut off; read up to there"));
    const auto objects = jsonl("{\"step\": 1, \"a\": 2}\n{\"step\": 2, \"a\"");
    EXPECT_THAT(curve(objects, "a").step, ElementsAre(1));
    EXPECT_THAT(objects->front().notes, ElementsAre("line 2 is cut off; read up to there"));
    EXPECT_EQ(jsonl("{\"step\": 1, \"a\": 2}\n{\"step\": 2, \"a\"\n").error().line, 2);
}

// Python's json.dumps writes NaN and Infinity bare.
TEST_F(TextLog, JsonLinesKeepWhatIsNotFinite) {
    const auto logs = jsonl(
        "{\"step\": 0, \"loss\": NaN, \"NaN \\\" Infinity\": 1}\n"
        "{\"step\": 1, \"loss\": -Infinity, \"eval\": {\"bleu\": 20, \"n\": null}}\n\n"
        "{\"_step\": 2, \"loss\": \"inf\", \"phase\": \"train\", \"list\": [1]}\n");
    EXPECT_THAT(curve(logs, "loss").value, ElementsAre(IsNan(), -INFINITY, INFINITY));
    EXPECT_THAT(curve(logs, "eval/bleu").step, ElementsAre(1));
    EXPECT_THAT(curve(logs, "NaN \" Infinity").value, ElementsAre(1));
    EXPECT_THAT(logs->front().notes,
                ElementsAre(HasSubstr("\"list\" has no"), HasSubstr("\"phase\" has no")));
}

TEST_F(TextLog, JsonLinesNameTheBadLine) {
    const auto bad = [&](const std::string& line) {
        return jsonl("{\"step\":1,\"a\":1}\n" + line + "\n").error();
    };
    EXPECT_EQ(bad("{\"a\": 1}").field, "step");
    EXPECT_EQ(bad("{\"step\": 1.5, \"a\": 1}").line, 2);
    EXPECT_EQ(bad("{\"step\": 2, \"a\": \"many\"}").field, "a");
    EXPECT_EQ(bad("{\"step\": 2, \"a\": \"many\"}").message, "\"many\" is not a number");
    EXPECT_EQ(bad("[1]").line, 2);
    EXPECT_EQ(bad("{\"step\": 2,").code, "import.line");
    EXPECT_THAT(bad(std::string(100, '[')).message, HasSubstr("nested too deeply"));
}

TEST_F(TextLog, StepsAreSortedAndEqualOnesKept) {
    const auto logs = csv("step,a\n3,1\n1,2\n3,4\n2,3\n");
    EXPECT_THAT(curve(logs, "a").step, ElementsAre(1, 2, 3, 3));
    EXPECT_THAT(curve(logs, "a").value, ElementsAre(2, 3, 1, 4));
}

TEST_F(TextLog, FormatsAreFoundByName) {
    EXPECT_STREQ((*findLogFormat("", "logs/metrics.csv"))->id, "csv");
    EXPECT_STREQ((*findLogFormat("", "logs/events.out.tfevents.17.host"))->id, "tfevents");
    EXPECT_STREQ((*findLogFormat("", folder_.path()))->id, "tfevents");
    EXPECT_STREQ((*findLogFormat("jsonl", "metrics.txt"))->id, "jsonl");
    EXPECT_EQ(findLogFormat("", "metrics.txt").error().code, "import.format");
    EXPECT_THAT(findLogFormat("", "metrics.txt").error().remedy, HasSubstr("end with .csv"));
    EXPECT_THAT(findLogFormat("xml", "a").error().remedy, HasSubstr("tfevents, csv, jsonl"));
}

}  // namespace
}  // namespace kurve::interop
