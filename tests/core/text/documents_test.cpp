// Documents: lists of sentences, packed and batched.
#include <gmock/gmock.h>

#include "core/text/dataset.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDocuments =
    "\n\nMoses went up.\nHe said a word.\n\n  \nThe king went out.\n\n***\n\nHe slept.\nThe king "
    "said.\nMoses slept.\n";

class Documents : public testing::Test {
protected:
    void SetUp() override {
        folder_.write("train.txt", kDocuments);
        folder_.write("valid.txt", "The king slept.\nHe went out.\n");
    }
    Result<Dataset> prepared(const std::vector<Override>& changes = {}) {
        auto schema = std::make_shared<Schema>();
        schema->family = "toy";
        schema->fields = dataFields();
        const auto lookup = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
            return std::shared_ptr<const Schema>(schema);
        };
        std::vector<Override> all{{"data.kind", "documents"},
                                  {"data.train", "train.txt"},
                                  {"data.valid", "valid.txt"},
                                  {"data.tokenizer.kind", "word"}};
        all.insert(all.end(), changes.begin(), changes.end());
        const auto config = RunConfig::parse("family = \"toy\"\n", "exp.toml", lookup, all);
        EXPECT_TRUE(config) << config.error().text();
        return prepareDataset(*config, folder_.path(), {});
    }
    std::string problem(const std::vector<Override>& changes = {}) {
        const auto data = prepared(changes);
        return data ? "none" : data.error().text();
    }
    ScratchFolder folder_;
};

TEST_F(Documents, AreBlocksOfLines) {
    const auto data = prepared();
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->train.size(), 3U);
    EXPECT_TRUE(data->train.hasDocuments());
    EXPECT_EQ(data->train.report.sentences, 6);
    EXPECT_EQ(data->train.report.emptySides, 1) << "***";
    EXPECT_EQ(data->train.sentences(0), 2U);
    EXPECT_EQ(data->train.sentences(1), 1U);
    EXPECT_EQ(data->target->decode(data->train.sentence(2, 1)), "The king said.");
    EXPECT_EQ(data->train.sentence(2, 1).front(), kBos);
    EXPECT_EQ(data->train.sentence(2, 1).back(), kEos);
    EXPECT_EQ(data->train.targetLength(0),
              data->train.sentenceLength(0, 0) + data->train.sentenceLength(0, 1));
    EXPECT_EQ(data->train.sourceLength(0), 0U);
    EXPECT_EQ(data->train.text(0)->target, "Moses went up.\nHe said a word.");
    EXPECT_EQ(data->train.text(2)->target, "He slept.\nThe king said.\nMoses slept.");
    EXPECT_THAT(data->warnings, ElementsAre("train: left out 1 document without a letter"));
}

TEST_F(Documents, OfRunningTextAreCutIntoSentences) {
    folder_.write("train.txt", "Moses went up. He\nsaid a word.\n\nThe king slept.\n");
    const auto data = prepared({{"data.format", "running"}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ(data->train.text(0)->target, "Moses went up.\nHe said a word.");
    EXPECT_NE(prepared()->sha256, data->sha256);
    EXPECT_EQ(prepared()->train.text(0)->target, "Moses went up. He\nsaid a word.") << "every line is one";
    const auto cut = prepared({{"data.format", "running"}, {"data.sentence_cap", "8"}});
    EXPECT_EQ(cut->train.text(0)->target, "Moses\nwent up.\nHe said\na word.");
}

TEST_F(Documents, LongOnesAreSeveralAndLongSentencesLeaveThemOut) {
    const auto data = prepared({{"data.max_sentences", "2"}});
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->train.size(), 4U);
    EXPECT_EQ(data->train.text(2)->target, "He slept.\nThe king said.");
    EXPECT_EQ(data->train.text(3)->target, "Moses slept.");
    EXPECT_EQ(data->target->decode(data->train.sentence(3, 0)), "Moses slept.");
    const auto shorter = prepared({{"data.max_length", "6"}});  // "He said a word." has 7 with its ends
    EXPECT_EQ(shorter->train.leftOut, 2);
    EXPECT_EQ(shorter->train.size(), 1U);
    EXPECT_THAT(shorter->warnings,
                Contains("train: left out 2 documents with a sentence above data.max_length"));
}

TEST_F(Documents, ABatchHasTheirSentencesAsRows) {
    const auto data = prepared();
    ASSERT_TRUE(data) << data.error().text();
    const Batch batch = makeBatch(data->train, std::vector<std::int32_t>{2, 0});
    EXPECT_EQ(batch.rows, 5);
    EXPECT_THAT(batch.pairs, ElementsAre(2, 0));
    EXPECT_THAT(batch.sentences, ElementsAre(3, 2));
    EXPECT_THAT(batch.targetLengths, ElementsAre(5, 6, 5, 6, 7));
    EXPECT_EQ(batch.targetLength, 7);
    EXPECT_TRUE(batch.source.empty());
    const auto row = data->train.sentence(2, 0);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), batch.target.begin()));
    EXPECT_EQ(batch.target[5], kPad);
    EXPECT_EQ(makeBatch(data->train, {}).rows, 0);
}

TEST_F(Documents, AStreamKeepsItsLimitAndSeeksExactly) {
    std::string text;
    for (int d = 0; d < 90; ++d) {
        for (int s = 0; s <= d * 7 % 11; ++s)
            text += "word" + std::to_string(d) + (s % 2 ? " and one more" : "") + "\n";
        text += "\n";
    }
    folder_.write("train.txt", text);
    const auto data = prepared();
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->train.size(), 90U);
    const auto split = std::make_shared<Split>(data->train);
    BatchStream stream(split, 120, 3);
    std::vector<Batch> history;
    std::vector<int> seen(90);
    for (std::int64_t i = stream.batchesPerEpoch(); i > 0; --i) {
        const Batch& batch = history.emplace_back(stream.next());
        EXPECT_LE(batch.rows * batch.targetLength, 120);
        for (const auto document : batch.pairs) ++seen[static_cast<std::size_t>(document)];
    }
    EXPECT_THAT(seen, testing::Each(1));
    EXPECT_GT(history.size(), 5U);
    for (int i = 0; i < 5; ++i) history.push_back(stream.next());
    for (const std::size_t at : {std::size_t{0}, std::size_t{3}, history.size() - 2}) {
        BatchStream fresh(split, 120, 3);
        fresh.seek({history[at].epoch, history[at].index});
        for (std::size_t i = at; i < history.size(); ++i) {
            const Batch batch = fresh.next();
            ASSERT_EQ(batch.pairs, history[i].pairs) << at;
            ASSERT_EQ(batch.target, history[i].target);
            ASSERT_EQ(batch.sentences, history[i].sentences);
        }
    }
}

TEST_F(Documents, HaveAPromptAndAnAnswer) {
    folder_.write("train.txt",
                  "Moses went up.\nNow tell:\nHe said a word.\n\nHe slept.\nThe king said.\nNow tell:\nMoses "
                  "slept.\nHe went.\n\nNo mark here.\nAt all.\n\nNothing behind.\nNow tell:\n");
    folder_.write("valid.txt", "The king slept.\nNow tell:\nHe went out.\n");
    const std::vector<Override> settings{{"data.prompt_end", "Now tell:"},
                                         {"data.end_sentence", "Moses said."}};
    const auto data = prepared(settings);
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->train.size(), 2U);
    EXPECT_EQ(data->train.promptSentences(0), 2U);
    EXPECT_EQ(data->train.promptSentences(1), 3U);
    EXPECT_EQ(data->train.sentences(1), 6U);
    EXPECT_EQ(data->target->decode(data->train.sentence(0, 3)), "Moses said.");
    EXPECT_EQ(data->train.text(0)->target, "Moses went up.\nNow tell:\nHe said a word.\nMoses said.");
    EXPECT_THAT(data->warnings,
                Contains("train: left out 2 documents without an answer behind data.prompt_end"));
    EXPECT_THAT(makeBatch(data->train, std::vector<std::int32_t>{1, 0}).promptSentences, ElementsAre(3, 2));
    // Never cut in two: the second part would be an answer to nothing.
    const auto shorter = prepared({settings[0], settings[1], {"data.max_sentences", "4"}});
    ASSERT_TRUE(shorter) << shorter.error().text();
    EXPECT_EQ(shorter->train.size(), 1U);
    EXPECT_THAT(
        problem({{"data.prompt_end", "Then:"}}),
        HasSubstr("train.txt: data.prompt_end: none of its 4 documents has a line “Then:” with an "
                  "answer behind it, within data.max_sentences; write that line behind each prompt, or "
                  "empty data.prompt_end"));
    const auto plain = prepared();
    ASSERT_TRUE(plain) << plain.error().text();
    EXPECT_EQ(plain->train.promptSentences(0), 0U);
    EXPECT_THAT(makeBatch(plain->train, std::vector<std::int32_t>{0}).promptSentences, ElementsAre(0));
    EXPECT_NE(plain->sha256, data->sha256);
}

TEST_F(Documents, AreReadAsTexts) {
    const auto data = prepared({{"data.kind", "text"}, {"data.format", "documents"}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_FALSE(data->train.hasDocuments());
    EXPECT_EQ(data->valid.text(0)->target, "The king slept. He went out.");
    EXPECT_EQ(data->train.text(0)->target, "Moses went up. He said a word.");
    const auto ids = data->train.target(0);
    EXPECT_EQ(data->target->decode(std::span(ids).subspan(1, ids.size() - 2)),
              "Moses went up. He said a word.");
}

TEST_F(Documents, BadInputIsNamed) {
    folder_.write("train.txt", "***\n\n--\n");
    EXPECT_THAT(problem(), HasSubstr("has no usable document among 3 lines; write its sentences"));
    folder_.write("train.txt", "Moses went.\n\nfine " + std::string("a\0b", 3) + "\n");
    EXPECT_THAT(problem(), HasSubstr("train.txt:3: data.train: byte 7 is NUL"));
    folder_.write("train.txt", "Moses went.\n\xFF\n");
    EXPECT_THAT(problem(), HasSubstr("train.txt:2: data.train: byte 1 is not UTF-8"));
    folder_.write("train.txt",
                  "Moses went.\n" + std::string(70'000, 'a') + "\nHe slept.\n\nThe king went.\n");
    const auto data = prepared();
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ(data->train.size(), 1U) << "a document with a hole is none";
    EXPECT_THAT(data->warnings, Contains("train: left out 1 document above the byte limit"));
    EXPECT_THAT(problem({{"data.max_length", "4"}}),
                HasSubstr("none of 1 document is within data.max_length"));
    EXPECT_THAT(problem({{"data.distilled", "true"}}), HasSubstr("no source that a teacher could rewrite"));
}

}  // namespace
}  // namespace kurve::text
