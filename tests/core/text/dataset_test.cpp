#include "core/text/dataset.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/text/trained_specials.h"
#include "core/text/unigram_entropy.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Result<RunConfig> makeConfig(const std::vector<Override>& overrides) {
    auto schema = std::make_shared<Schema>();
    schema->family = "toy";
    schema->fields = dataFields();
    const auto lookup = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::shared_ptr<const Schema>(schema);
    };
    return RunConfig::parse("family = \"toy\"\n", "exp.toml", lookup, overrides);
}

void writeProject(const ScratchFolder& folder) {
    std::string train;
    const std::vector<std::string> who = {"the king",   "God",       "a man",
                                          "my brother", "the woman", "the priest"};
    const std::vector<std::string> did = {"went up", "saw the light", "ate bread", "answered them", "slept"};
    const std::vector<std::string> where = {"to Jerusalem", "in the house", "on the mountain", "by the sea",
                                            "at night"};
    for (const auto& a : who)
        for (const auto& b : did)
            for (const auto& c : where) train += a + " " + b + " " + c + "\t" + a + " " + b + " " + c + ".\n";
    folder.write("data/train.tsv", train);
    folder.write("data/valid.tsv",
                 "the king slept on the sea\tThe king slept on the sea.\nThe king, slept at night!\tx\n");
    folder.write("data/test.tsv", "God ate bread in bed\tGod ate bread in bed.\n");
}

const std::vector<Override> kSmall = {{"data.tokenizer.vocabulary", "60"}, {"data.test", "data/test.tsv"}};

void expectEqual(const Split& a, const Split& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a.source(i), b.source(i)) << i;
        EXPECT_EQ(a.target(i), b.target(i)) << i;
    }
}

struct ProgressLog {
    std::vector<std::string> what;
    [[nodiscard]] Progress progress() {
        return [this](double fraction, const std::string& text) {
            EXPECT_GE(fraction, 0.0);
            EXPECT_LE(fraction, 1.0);
            if (what.empty() || what.back() != text) what.push_back(text);
        };
    }
};

TEST(Dataset, PreparesTokenizerAndSplits) {
    const ScratchFolder folder;
    writeProject(folder);
    ProgressLog log;
    const auto data = prepareDataset(*makeConfig(kSmall), folder.path(), log.progress());
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_TRUE(data->joint());
    EXPECT_EQ(data->train.size(), 150U);
    EXPECT_EQ(data->valid.size(), 2U);
    EXPECT_EQ(data->test.size(), 1U);
    EXPECT_EQ(data->prompts.size(), 0U);
    EXPECT_THAT(log.what, ElementsAre("reading the corpora", "training the tokenizer", "tokenising train",
                                      "tokenising valid", "tokenising test", "data ready"));
    for (std::size_t i = 0; i < data->train.size(); ++i) {
        const auto ids = data->train.target(i);
        EXPECT_EQ(ids.front(), kBos);
        EXPECT_EQ(ids.back(), kEos);
        EXPECT_EQ(data->target->decode(ids), data->train.text(i)->target);
    }
    EXPECT_EQ(data->sourceFolder, folder.path() / "data/tokenizers" / data->source->hash().substr(0, 12));
    EXPECT_THAT(data->warnings,
                ElementsAre(HasSubstr("valid: 1 pair with a sentence of the training split, for "
                                      "example “The king, slept at night!”")));
}

TEST(Dataset, TheSecondCallUsesWhatIsThere) {
    const ScratchFolder folder;
    writeProject(folder);
    const auto first = prepareDataset(*makeConfig(kSmall), folder.path(), {});
    ProgressLog log;
    const auto second = prepareDataset(*makeConfig(kSmall), folder.path(), log.progress());
    ASSERT_TRUE(first && second);
    EXPECT_THAT(log.what, ElementsAre("reading the corpora", "data ready"));
    EXPECT_EQ(second->sha256, first->sha256);
    expectEqual(second->train, first->train);
    EXPECT_EQ(second->warnings, first->warnings);
    EXPECT_EQ(second->valid.text(0)->source, "the king slept on the sea");
}

// Only the first settings found it: others trained it at each start, and no estimate was possible.
TEST(Dataset, ATokenizerIsFoundByAllSettingsThatGiveIt) {
    const ScratchFolder folder;
    writeProject(folder);
    const auto config = [](const std::string& most) {
        return *makeConfig({{"data.tokenizer.kind", "word"}, {"data.tokenizer.vocabulary", most}});
    };
    for (const char* most : {"100", "200", "300"})
        ASSERT_TRUE(prepareDataset(config(most), folder.path(), {}));
    for (const char* most : {"100", "200", "300"}) {
        const auto again = preparedDataset(config(most), folder.path());
        EXPECT_TRUE(again) << again.error().text();
    }
}

TEST(Dataset, TheFingerprintFollowsWhatMatters) {
    const ScratchFolder folder;
    writeProject(folder);
    std::string ofTraining;
    const auto hash = [&](std::vector<Override> changes) {
        changes.insert(changes.begin(), kSmall.begin(), kSmall.end());
        auto data = prepareDataset(*makeConfig(changes), folder.path(), {});
        EXPECT_TRUE(data) << data.error().text();
        EXPECT_EQ(data->corpora.at(folder.path() / "data/train.tsv"),
                  *sha256File(folder.path() / "data/train.tsv"));
        ofTraining = data->trainSha256;
        return data->sha256;
    };
    const std::string base = hash({}), baseOfTraining = ofTraining;
    EXPECT_EQ(hash({{"data.same_language", "true"}}), base);
    EXPECT_NE(hash({{"data.tokenizer.vocabulary", "61"}}), base);
    EXPECT_NE(hash({{"data.tokenizer.kind", "word"}}), base);
    EXPECT_NE(hash({{"data.source_column", "2"}, {"data.target_column", "1"}}), base);
    folder.write("data/test.tsv", "God ate bread in bed\tGod ate bread in bed!\n");
    EXPECT_NE(ofTraining, baseOfTraining);
    EXPECT_NE(hash({}), base);
    EXPECT_EQ(ofTraining, baseOfTraining) << "another test split";
}

TEST(Dataset, SeparateTokenizersAndParallelFiles) {
    const ScratchFolder folder;
    writeProject(folder);
    folder.write("data/t.en", "one two\nthree\nfour five\n");
    folder.write("data/t.de", "eins zwei\ndrei\nvier fünf\n");
    const auto data = prepareDataset(*makeConfig({{"data.train", "data/t.en"},
                                                  {"data.train_target", "data/t.de"},
                                                  {"data.tokenizer.kind", "word"},
                                                  {"data.tokenizer.joint", "false"}}),
                                     folder.path(), {});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_FALSE(data->joint());
    EXPECT_NE(data->source->hash(), data->target->hash());
    EXPECT_THAT(data->source->encode("drei"), ElementsAre(kUnk));
    EXPECT_EQ(data->target->decode(data->train.target(1)), "drei");
    EXPECT_EQ(data->test.size(), 0U);
}

TEST(Dataset, LongPairsAreCountedAndFixedPromptsRead) {
    const ScratchFolder folder;
    writeProject(folder);
    folder.write("data/prompts.tsv", "# chosen by hand\nthe king slept\tThe king slept.\n");
    const std::vector<Override> changes = {{"data.tokenizer.kind", "whitespace"},
                                           {"data.prompts", "data/prompts.tsv"},
                                           {"data.max_length", "8"}};
    const auto data = prepareDataset(*makeConfig(changes), folder.path(), {});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_GT(data->train.leftOut, 0);
    EXPECT_EQ(data->train.size() + static_cast<std::size_t>(data->train.leftOut), 150U);
    for (std::size_t i = 0; i < data->train.size(); ++i) EXPECT_LE(data->train.source(i).size(), 8U);
    EXPECT_THAT(data->warnings, testing::Contains("train: left out " + std::to_string(data->train.leftOut) +
                                                  " pairs longer than data.max_length"));
    EXPECT_EQ(data->prompts.size(), 1U);
}

// Against the numbers of the program that held all ids in memory: the same batches in the same order.
TEST(Dataset, BatchesDoNotDependOnHowASplitIsStored) {
    const ScratchFolder folder;
    writeProject(folder);
    const auto batches = [&](std::vector<Override> changes) {
        changes.emplace_back("data.tokenizer.vocabulary", "60");
        auto data = prepareDataset(*makeConfig(changes), folder.path(), {});
        EXPECT_TRUE(data) << data.error().text();
        BatchStream stream(std::make_shared<Split>(data->train), 300, 11);
        std::string all;
        for (int i = 0; i < 100; ++i) {
            const Batch batch = stream.next();
            for (const auto* numbers : {&batch.pairs, &batch.source, &batch.target}) {
                for (const auto number : *numbers) all += std::to_string(number) + " ";
                all += "\n";
            }
        }
        return sha256(all);
    };
    EXPECT_EQ(batches({{"data.test", "data/test.tsv"}}),
              "7ef581d06e0c0df2072e92139fadf82cd4168716a5ba6e5f6b833c21b5442c21");
    EXPECT_EQ(batches({{"data.kind", "text"}}),
              "3422133608c1d00f9ad404ca19135dfc491caf75a46a973ebbab19b95410039a");
    EXPECT_EQ(batches({{"data.kind", "text"},
                       {"data.format", "running"},
                       {"data.block", "16"},
                       {"data.valid", "data/train.tsv"}}),
              "1fe1fe34db75b2ac9a4131986300fecb492bb66097cd8ae0273345a9b3f270e4");
}

TEST(UnigramEntropy, IsOfTheTargetTokens) {
    // 0 1 | BOS a a b EOS | BOS EOS | BOS a c EOS: a 3, b 1, c 1 of 5.
    const Split split =
        Split::inMemory({0, 2, 0, 7, 7, 8, 2, 0, 2, 0, 2, 0, 2, 0, 7, 9, 2}, {0, 2, 7, 9, 11, 13, 17});
    ASSERT_EQ(split.size(), 3U);
    EXPECT_NEAR(unigramEntropy(split), -(0.6 * std::log(0.6) + 2 * 0.2 * std::log(0.2)), 1e-12);
    EXPECT_EQ(unigramEntropy(Split{}), 0);
}

TEST(DatasetErrors, NameFileAndField) {
    const ScratchFolder folder;
    writeProject(folder);
    const auto error = [&](const std::vector<Override>& changes) {
        auto data = prepareDataset(*makeConfig(changes), folder.path(), {});
        if (data) return std::string("fine");
        std::string text = data.error().code + " | " + data.error().text();
        const std::string prefix = folder.path().string() + "/";
        while (text.find(prefix) != std::string::npos) text.erase(text.find(prefix), prefix.size());
        return text;
    };
    const Override small{"data.tokenizer.vocabulary", "60"};
    EXPECT_EQ(error({{"data.train", "data/no.tsv"}}),
              "data.missing | data/no.tsv: data.train: there is no such file; check the path; it counts from "
              "the project folder");
    EXPECT_EQ(error({small, {"data.valid", "data"}}),
              "data.is_folder | data: data.valid: is a folder, not a file; name a file in it");
    EXPECT_EQ(error({{"data.target_column", "5"}}),
              "data.missing_column | data/train.tsv:1: column 5: the line has 2 columns; separate the "
              "columns by one tab");
    EXPECT_EQ(error({small, {"data.max_length", "4"}}),
              "data.empty | data/train.tsv: data.max_length: none of 150 pairs is within data.max_length; "
              "raise data.max_length");
    EXPECT_THAT(error({{"data.tokenizer.vocabulary", "50000"}}),
                HasSubstr("tokenizer.vocabulary | data.tokenizer.vocabulary: the training text cannot fill "
                          "50000 tokens; use at most "));
    folder.write("data/few.tsv", "aa\taa\naa\taa\n");
    EXPECT_THAT(error({{"data.train", "data/few.tsv"}, {"data.tokenizer.vocabulary", "16"}}),
                HasSubstr("data/few.tsv: data.train: the training text fills"));
    folder.write("data/empty.tsv", "");
    EXPECT_THAT(error({{"data.valid", "data/empty.tsv"}, {"data.tokenizer.vocabulary", "60"}}),
                HasSubstr("data.empty | data/empty.tsv: data.valid: has no usable pair"));
}

}  // namespace
}  // namespace kurve::text
