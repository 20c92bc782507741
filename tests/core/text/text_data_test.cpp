// Texts without a source: lines and running text, and what a generation of them begins from.
#include <gmock/gmock.h>

#include "core/text/dataset.h"
#include "core/text/prompt.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<RunConfig> configOf(const std::vector<Override>& overrides) {
    auto schema = std::make_shared<Schema>();
    schema->family = "toy";
    schema->fields = dataFields();
    const auto lookup = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::shared_ptr<const Schema>(schema);
    };
    std::vector<Override> all{{"data.kind", "text"},
                              {"data.train", "train.txt"},
                              {"data.valid", "valid.txt"},
                              {"data.tokenizer.kind", "word"}};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return RunConfig::parse("family = \"toy\"\n", "exp.toml", lookup, all);
}

class TextData : public testing::Test {
protected:
    void SetUp() override {
        folder_.write("train.txt",
                      "Moses went up\n\nMoses said , I am here\n  the king went out  \nwent the king up\n");
        folder_.write("valid.txt", "the king said\nMoses went out\n");
    }
    Result<Dataset> prepared(const std::vector<Override>& overrides) {
        const auto config = configOf(overrides);
        EXPECT_TRUE(config) << config.error().text();
        return prepareDataset(*config, folder_.path(), {});
    }
    std::string problem(const std::vector<Override>& overrides) {
        const auto data = prepared(overrides);
        return data ? "none" : data.error().code + " | " + data.error().text();
    }
    ScratchFolder folder_;
};

TEST_F(TextData, EveryLineIsAnExampleWithoutASource) {
    const auto data = prepared({});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_TRUE(data->texts);
    EXPECT_TRUE(data->joint());
    ASSERT_EQ(data->train.size(), 4U);
    EXPECT_TRUE(data->train.source(0).empty());
    EXPECT_EQ(data->train.target(1).front(), kBos);
    EXPECT_EQ(data->train.target(1).back(), kEos);
    EXPECT_EQ(data->target->decode(data->train.target(2)), "the king went out");
    EXPECT_EQ(data->train.text(2)->target, "the king went out");
    EXPECT_EQ(data->train.report.emptySides, 1);
    const Batch batch = makeBatch(data->train, std::vector<std::int32_t>{0, 1});
    EXPECT_EQ(batch.sourceLength, 0);
    EXPECT_TRUE(batch.source.empty());
    EXPECT_EQ(batch.targetLength, 8);
    EXPECT_EQ(batch.target[5], kPad);
}

TEST_F(TextData, ATableGivesItsTargetColumn) {
    folder_.write("train.tsv", "# source<TAB>target\nold one\tMoses went up\nold two\tthe king said\n");
    const auto data = prepared({{"data.train", "train.tsv"}});
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->train.size(), 2U);
    EXPECT_EQ(*data->train.text(1), (Pair{"", "the king said"}));
}

// The ids of the whole lines were used again.
TEST_F(TextData, ATableWithTheBytesOfLinesHasIdsOfItsOwn) {
    for (const std::string file : {"same.txt", "same.tsv"}) {
        folder_.write(file, "old\tMoses went up\n");
        const auto data = prepared({{"data.train", file}, {"data.tokenizer.kind", "byte"}});
        ASSERT_TRUE(data) << data.error().text();
        EXPECT_EQ(data->target->decode(data->train.target(0)), data->train.text(0)->target) << file;
    }
}

TEST_F(TextData, RunningTextFillsBlocksAndCountsWhatIsLeft) {
    const auto data = prepared({{"data.format", "running"}, {"data.block", "7"}});
    ASSERT_TRUE(data) << data.error().text();
    // 3 + 6 + 4 + 4 words and a line end behind each: 21 tokens, 5 in each block.
    ASSERT_EQ(data->train.size(), 4U);
    EXPECT_EQ(data->train.leftOver, 1);
    std::vector<std::int32_t> inner;
    for (std::size_t i = 0; i < data->train.size(); ++i) {
        const auto block = data->train.target(i);
        ASSERT_EQ(block.size(), 7U);
        EXPECT_EQ(block.front(), kBos);
        EXPECT_EQ(block.back(), kEos);
        inner.insert(inner.end(), block.begin() + 1, block.end() - 1);
    }
    std::vector<std::int32_t> whole;
    for (const char* line :
         {"Moses went up", "Moses said , I am here", "the king went out", "went the king up"}) {
        for (const auto id : data->target->encode(line)) whole.push_back(id);
        whole.push_back(kEos);
    }
    whole.resize(inner.size());
    EXPECT_EQ(inner, whole);
    const auto again = prepared({{"data.format", "running"}, {"data.block", "7"}});
    EXPECT_EQ(again->train.target(3), data->train.target(3)) << "from the cache";
    EXPECT_EQ(again->train.leftOver, 1);
    EXPECT_NE(prepared({{"data.format", "running"}, {"data.block", "8"}})->sha256, data->sha256);
}

TEST_F(TextData, BadInputIsNamed) {
    EXPECT_THAT(problem({{"data.format", "running"}, {"data.block", "40"}}),
                HasSubstr("train.txt: data.block: its 21 tokens do not fill a block of 40; lower "
                          "data.block or give it more text"));
    folder_.write("blank.txt", "\n \n");
    EXPECT_THAT(problem({{"data.train", "blank.txt"}}), HasSubstr("has no usable text among 2 lines"));
    folder_.write("giant.txt", std::string(70'000, 'a') + "\nMoses went up\n");
    const auto data = prepared({{"data.train", "giant.txt"}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(data->warnings, testing::Contains(HasSubstr("train: left out 1 line above the byte limit")));
    EXPECT_THAT(problem({{"data.distilled", "true"}}), HasSubstr("data.no_source"));
    EXPECT_THAT(problem({{"data.max_length", "4"}}), HasSubstr("none of 4 texts is within data.max_length"));
}

TEST_F(TextData, PromptsAreTextsNotExamples) {
    folder_.write("prompts.txt", "Moses went\nthe [MASK] said\n");
    const auto data =
        prepared({{"data.prompts", "prompts.txt"}, {"data.format", "running"}, {"data.block", "7"}});
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->prompts.size(), 2U);
    EXPECT_EQ(textPrompt(data->prompts[0].target).kind, PromptKind::Prefix);
    EXPECT_EQ(textPrompt(data->prompts[1].target).kind, PromptKind::Infill);
}

class Prompts : public TextData {
protected:
    std::vector<std::int32_t> ids(const std::string& text) { return data().target->encode(text); }
    EncodedPrompt encoded(PromptKind kind, const std::string& text) {
        auto made = encodePrompt(data(), {text, kind});
        EXPECT_TRUE(made) << made.error().text();
        return made ? *made : EncodedPrompt();
    }
    std::string error(const std::string& text) {
        const auto made = encodePrompt(data(), {text, PromptKind::Infill});
        return made ? "none" : made.error().code;
    }
    const Dataset& data() {
        if (data_.train.size() == 0) data_ = *prepared({});
        return data_;
    }
    Dataset data_;
};

TEST_F(Prompts, NothingAPrefixAndASource) {
    EXPECT_THAT(encoded(PromptKind::Nothing, "ignored").known.ids, ElementsAre(kBos));
    EXPECT_TRUE(encoded(PromptKind::Nothing, "").known.open);
    const auto prefix = encoded(PromptKind::Prefix, "Moses went ");
    EXPECT_THAT(prefix.known.ids, ElementsAre(kBos, ids("Moses")[0], ids("went")[0]));
    EXPECT_TRUE(prefix.known.open);
    EXPECT_TRUE(prefix.source.empty());
    const auto source = encoded(PromptKind::Source, "Moses");
    EXPECT_THAT(source.source, ElementsAre(kBos, ids("Moses")[0], kEos));
}

TEST_F(Prompts, BlanksStandAnywhereAndHaveALength) {
    const auto two = encoded(PromptKind::Infill, "[MASK] went [MASK:3]");
    EXPECT_THAT(two.known.ids, ElementsAre(kBos, kMask, ids("went")[0], kMask, kMask, kMask, kEos));
    EXPECT_FALSE(two.known.open);
    const auto joined = encoded(PromptKind::Infill, "the[MASK][MASK] said");
    EXPECT_THAT(joined.known.ids, ElementsAre(kBos, ids("the")[0], kMask, kMask, ids("said")[0], kEos));
    EXPECT_EQ(error("no blank"), "prompt.no_blank");
    for (const char* bad : {"a [MASK", "a [MASK:0]", "a [MASK:x]", "a [MASK:5", "[MASKS]", "[MASK:99999]"})
        EXPECT_EQ(error(bad), "prompt.blank") << bad;
}

// "," stands in the vocabulary with a space before it; behind a blank without a space it must not.
TEST_F(Prompts, ADocumentBeginsWithSentences) {
    DocumentRules rules;
    const auto sentences = [&](const std::string& text) {
        const auto made = encodePrompt(data(), {text, PromptKind::Prefix}, rules);
        EXPECT_TRUE(made && made->known.ids.size() == 1);
        std::vector<std::string> texts;
        for (const auto& sentence : made->known.sentences) {
            EXPECT_EQ(sentence.front(), data().target->special().bos);
            EXPECT_EQ(sentence.back(), data().target->special().eos);
            texts.push_back(data().target->decode(std::span(sentence).subspan(1, sentence.size() - 2)));
        }
        return texts;
    };
    EXPECT_EQ(sentences("Moses went\n\nMoses said"), (std::vector<std::string>{"Moses went", "Moses said"}));
    EXPECT_EQ(sentences("Moses went. Moses said.").size(), 2U) << "one line is cut into its sentences";
    rules.cap = 8;
    EXPECT_EQ(sentences("Moses went Moses\nsaid").size(), 4U) << "as data.sentence_cap cuts a document's";
    rules = {.promptEnd = "said"};
    EXPECT_EQ(sentences("Moses went").back(), "said");
    EXPECT_EQ(sentences("Moses went\nsaid").size(), 2U) << "is there already";
    rules = {};
    EXPECT_TRUE(sentences("").empty());
}

TEST_F(Prompts, WhatFollowsABlankContinuesIt) {
    folder_.write("bpe.txt",
                  "he said, go on\nhe went, and came\nshe said, and went on\nhe goes, she goes, and said\n");
    const auto bpe = prepared({{"data.train", "bpe.txt"},
                               {"data.valid", "bpe.txt"},
                               {"data.tokenizer.kind", "bpe"},
                               {"data.tokenizer.vocabulary", "40"}});
    ASSERT_TRUE(bpe) << bpe.error().text();
    const auto made = encodePrompt(*bpe, {"he [MASK], and", PromptKind::Infill});
    ASSERT_TRUE(made) << made.error().text();
    std::vector<std::int32_t> filled = made->known.ids;
    std::replace(filled.begin(), filled.end(), kMask, bpe->target->encode("said").front());
    EXPECT_THAT(bpe->target->decode(filled), HasSubstr(", and"));
    EXPECT_THAT(bpe->target->decode(filled), testing::Not(HasSubstr(" ,")));
    EXPECT_EQ(encodePrompt(*bpe, {"he [MASK] and", PromptKind::Infill})->known.ids[2], kMask);
    EXPECT_EQ(encodePrompt(data(), {"[MASK]king", PromptKind::Infill}).error().code, "prompt.spelling");
}

TEST(PromptKinds, HaveNames) {
    for (const auto kind : {PromptKind::Source, PromptKind::Nothing, PromptKind::Prefix, PromptKind::Infill})
        EXPECT_EQ(*promptKindOf(promptKindName(kind)), kind);
    EXPECT_EQ(promptKindOf("free").error().code, "prompt.kind");
}

}  // namespace
}  // namespace kurve::text
