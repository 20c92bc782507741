// The texts of the bundled projects: the sample's and those of Seq2seq keep what the user guide promises of
// them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/dataset.h"
#include "core/text/statistics.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kProjects = fs::path(KURVE_SOURCE_DIR) / "projects";
const fs::path kSample = kProjects / "sample", kSeq2seq = kProjects / "seq2seq";

struct Task {
    std::string name;
    std::size_t train, valid = 200, test = 350;
    std::string project = "sample";

    [[nodiscard]] fs::path folder() const { return kProjects / project; }
};
void PrintTo(const Task& task, std::ostream* out) {
    *out << task.project << " " << task.name;
}

class BundledTask : public testing::TestWithParam<Task> {
protected:
    Corpus read(const std::string& split) const {
        auto corpus = readTsv(GetParam().folder() / "data" / (GetParam().name + "." + split + ".tsv"), {});
        EXPECT_TRUE(corpus) << corpus.error().text();
        return *corpus;
    }
};
const auto kSampleTasks =
    testing::Values(Task{"restore", 4108}, Task{"modernise", 4072}, Task{"translate", 9282});
INSTANTIATE_TEST_SUITE_P(Sample, BundledTask, kSampleTasks);
INSTANTIATE_TEST_SUITE_P(Seq2seq, BundledTask,
                         testing::Values(Task{"modernise", 4072, 200, 350, "seq2seq"},
                                         Task{"dialogue", 2451, 186, 162, "seq2seq"}));

/// Those whose tokenizer is bundled.
class SampleTask : public BundledTask {};
INSTANTIATE_TEST_SUITE_P(Tasks, SampleTask, kSampleTasks);

TEST_P(BundledTask, SplitsAreFixedCleanAndShareNothing) {
    const Corpus train = read("train");
    EXPECT_EQ(train.pairs.size(), GetParam().train);
    EXPECT_EQ(duplicatePairs(train), 0);
    EXPECT_EQ(train.report.emptySides + train.report.tooLong + train.report.crlf + train.report.bom, 0);
    const Corpus valid = read("valid"), test = read("test");
    EXPECT_EQ(valid.pairs.size(), GetParam().valid);
    EXPECT_EQ(test.pairs.size(), GetParam().test);
    for (const auto& [a, b] :
         {std::pair(&train, &valid), std::pair(&train, &test), std::pair(&valid, &test)}) {
        const Leak leak = findLeak(*a, *b);
        EXPECT_EQ(leak.pairs, 0) << leak.examples.front();
    }
}

TEST_P(BundledTask, PromptsAreValidationPairs) {
    const Corpus valid = read("valid");
    std::set<std::string> known;
    for (const Pair& pair : valid.pairs) known.insert(pair.source + "\t" + pair.target);
    const auto prompts = readTsv(GetParam().folder() / "data" / ("prompts." + GetParam().name + ".tsv"), {});
    ASSERT_TRUE(prompts);
    EXPECT_EQ(prompts->pairs.size(), 6U);
    for (const Pair& pair : prompts->pairs)
        EXPECT_TRUE(known.contains(pair.source + "\t" + pair.target)) << pair.source;
}

TEST_P(BundledTask, KeepsItsLicenceNotice) {
    const std::string notice =
        GetParam().name == "translate" ? "Mozilla Public License, v. 2.0" : "Public domain";
    for (const std::string split : {".train", ".valid", ".test"}) {
        const auto text = readFile(GetParam().folder() / "data" / (GetParam().name + split + ".tsv"));
        ASSERT_TRUE(text);
        EXPECT_THAT(text->substr(0, 600), HasSubstr(notice));
    }
}

/// Every text of every split, through the tokenizer of the bundled experiments, comes back as it was.
TEST_P(SampleTask, TheTokenizerRoundTripsTheWholeSample) {
    auto schema = std::make_shared<Schema>();
    schema->family = "any";
    schema->fields = dataFields();
    const auto lookup = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::shared_ptr<const Schema>(schema);
    };
    const fs::path project =
        fs::temp_directory_path() / ("kurve_sample_" + GetParam().name + std::to_string(::getpid()));
    fs::create_directories(project / "data");
    fs::copy(kSample / "data/tokenizers", project / "data/tokenizers", fs::copy_options::recursive);
    std::vector<Override> changes = {{"data.max_length", "128"}};
    for (const std::string split : {"train", "valid", "test"}) {
        const std::string file = "data/" + GetParam().name + "." + split + ".tsv";
        fs::copy_file(kSample / file, project / file);
        changes.emplace_back("data." + split, file);
    }
    const auto config = RunConfig::parse("family = \"any\"", "", lookup, changes);
    ASSERT_TRUE(config) << config.error().text();
    bool trained = false;
    const auto data = prepareDataset(*config, project, [&](double, const std::string& what) {
        trained |= what == "training the tokenizer";
    });
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_FALSE(trained) << "the bundled tokenizer is not this one";
    EXPECT_EQ(data->source->vocabularySize(), 2000);
    std::set<char32_t> alphabet;
    const auto training = data->train.texts(0, data->train.size());
    ASSERT_TRUE(training);
    for (const Pair& pair : *training)
        for (const char32_t c : codePoints(pair.source + pair.target)) alphabet.insert(c);
    const auto hasUnseen = [&](const std::string& text) {
        const auto points = codePoints(text);
        return std::any_of(points.begin(), points.end(), [&](char32_t c) { return !alphabet.contains(c); });
    };
    int withUnseen = 0;
    const auto check = [&](const Tokenizer& tokenizer, std::span<const std::int32_t> ids,
                           const std::string& text) {
        if (hasUnseen(text))
            ++withUnseen;  // a character that the training split does not have is <unk>, whatever the
                           // tokenizer
        else
            ASSERT_EQ(tokenizer.decode(ids), text);
    };
    for (const Split* split : {&data->train, &data->valid, &data->test}) {
        EXPECT_LE(split->leftOut, 3);
        const auto texts = split->texts(0, split->size());
        ASSERT_TRUE(texts) << texts.error().text();
        for (std::size_t i = 0; i < split->size(); ++i) {
            check(*data->source, split->source(i), (*texts)[i].source);
            check(*data->target, split->target(i), (*texts)[i].target);
        }
    }
    EXPECT_LE(withUnseen, 3);
    fs::remove_all(project);
}

TEST_P(BundledTask, HashesOfTheImportRecordAreTheFiles) {
    const auto text = readFile(GetParam().folder() / "data" / (GetParam().name + ".corpus.json"));
    ASSERT_TRUE(text);
    const auto record = nlohmann::json::parse(*text);
    for (const char* split : {"train", "valid", "test"}) {
        const auto& of = record.at("splits").at(split);
        EXPECT_EQ(of.at("sha256"), *sha256File(GetParam().folder() / of.at("file").get<std::string>()));
    }
}

std::uintmax_t bytesOf(const fs::path& folder, const std::string& beginning = "") {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename().string().starts_with(beginning))
            bytes += entry.file_size();
    return bytes;
}

TEST(Sample, StaysSmall) {
    EXPECT_LT(bytesOf(kSample / "data"), 4'000'000U);
    EXPECT_LT(bytesOf(kSeq2seq / "data", "dialogue."), 700'000U);
}

TEST(Seq2seq, SharesATaskWithTheSample) {
    for (const char* file : {"modernise.train.tsv", "modernise.valid.tsv", "modernise.test.tsv"})
        EXPECT_EQ(*readFile(kSeq2seq / "data" / file), *readFile(kSample / "data" / file)) << file;
}

}  // namespace
}  // namespace kurve::text
