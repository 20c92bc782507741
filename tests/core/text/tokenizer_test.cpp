#include "core/text/tokenizer.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/text/lower_case.h"
#include "core/text/reference_text.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> someLines() {
    std::vector<std::string> lines;
    const std::vector<std::string> who = {"the king",   "God",        "Noah’s wife",
                                          "an old man", "my brother", "the woman"};
    const std::vector<std::string> did = {"went up",   "said, “Come”",  "saw the light",
                                          "ate bread", "answered them", "slept"};
    const std::vector<std::string> where = {"to Jerusalem", "in the house", "on the mountain", "by the sea",
                                            "at night"};
    for (const auto& a : who)
        for (const auto& b : did)
            for (const auto& c : where) lines.push_back(a + " " + b + " " + c + ".");
    return lines;
}

TokenizerSpec specOf(const std::string& kind, std::int32_t vocabulary) {
    TokenizerSpec spec;
    spec.kind = kind;
    spec.vocabularySize = vocabulary;
    return spec;
}

std::shared_ptr<const Tokenizer> make(const ScratchFolder& folder, const TokenizerSpec& spec,
                                      const std::vector<std::string>& lines, const std::string& name = "t") {
    const auto trained = trainTokenizer(spec, lines, folder.path() / name);
    EXPECT_TRUE(trained) << trained.error().text();
    auto tokenizer = loadTokenizer(folder.path() / name);
    EXPECT_TRUE(tokenizer) << tokenizer.error().text();
    return *tokenizer;
}

class EveryKind : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         testing::Values("bpe", "unigram", "word", "whitespace", "character"));

TEST_P(EveryKind, RoundTripsItsTextWithFixedSpecials) {
    const ScratchFolder folder;
    const auto lines = someLines();
    const auto tokenizer = make(folder, specOf(GetParam(), 60), lines);
    for (const std::string& line : lines) {
        const auto ids = tokenizer->encode(line);
        ASSERT_FALSE(ids.empty());
        for (const std::int32_t id : ids) ASSERT_GE(id, kFirstRegularToken) << tokenizer->token(id);
        ASSERT_EQ(tokenizer->decode(ids), line);
    }
    std::vector<std::string> specials;
    for (std::int32_t id = 0; id < kFirstRegularToken; ++id) specials.push_back(tokenizer->token(id));
    EXPECT_THAT(specials, ElementsAre("<s>", "<pad>", "</s>", "<unk>", "<mask>"));
    EXPECT_LE(tokenizer->vocabularySize(), 60);
}

TEST_P(EveryKind, TextThatSpellsASpecialIsOrdinaryText) {
    const ScratchFolder folder;
    auto lines = someLines();
    for (int i = 0; i < 40; ++i) lines.push_back("<mask> and </s> and <pad> <s> <unk> are words");
    const auto tokenizer = make(folder, specOf(GetParam(), 66), lines);
    const std::string text = "<mask> and </s> and <pad> <s> <unk> are words";
    for (const std::int32_t id : tokenizer->encode(text)) EXPECT_GE(id, kFirstRegularToken);
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
}

TEST_P(EveryKind, TrainingTwiceGivesTheSameBytes) {
    const ScratchFolder folder;
    make(folder, specOf(GetParam(), 60), someLines(), "one");
    make(folder, specOf(GetParam(), 60), someLines(), "two");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "one"))
        EXPECT_EQ(*readFile(entry.path()), *readFile(folder.path() / "two" / entry.path().filename()))
            << entry.path();
}

TEST_P(EveryKind, UnknownCharactersShowAndOtherIdsAreRefused) {
    const ScratchFolder folder;
    const auto tokenizer = make(folder, specOf(GetParam(), 60), someLines());
    const auto ids = tokenizer->encode("God 漢 slept");
    EXPECT_THAT(ids, testing::Contains(kUnk));
    EXPECT_THAT(tokenizer->decode(ids), HasSubstr("⁇"));
    EXPECT_EQ(tokenizer->decode(std::vector<std::int32_t>{kBos, kMask, kPad, kEos}), "");
    EXPECT_THROW((void)tokenizer->decode(std::vector<std::int32_t>{tokenizer->vocabularySize()}),
                 ContractError);
    EXPECT_THROW((void)tokenizer->token(-1), ContractError);
}

TEST_P(EveryKind, LowerCasesIfConfigured) {
    const ScratchFolder folder;
    TokenizerSpec spec = specOf(GetParam(), 60);
    const auto plain = make(folder, spec, someLines(), "plain");
    spec.lowerCase = true;
    const auto lower = make(folder, spec, someLines(), "lower");
    EXPECT_EQ(lower->decode(lower->encode("GOD slept in the house.")), "god slept in the house.");
    EXPECT_NE(lower->hash(), plain->hash());
}

TEST_P(EveryKind, ReferencesLoseTheCapitalsThatOutputsCannotHave) {
    const ScratchFolder folder;
    TokenizerSpec spec = specOf(GetParam(), 60);
    const std::string text = "the king said, “Come” Ω.";  // no such letter in the lines
    EXPECT_EQ(referenceText(*make(folder, spec, someLines(), "plain"), text), text);
    spec.lowerCase = true;
    const auto lower = make(folder, spec, someLines(), "lower");
    EXPECT_EQ(referenceText(*lower, text), "the king said, “come” ω.") << "not unknown";
    const std::string known = "God slept in the house.";
    EXPECT_EQ(referenceText(*lower, known), lower->decode(lower->encode(known)));
}

TEST_P(EveryKind, TheVocabularyTableCountsTheTrainingText) {
    const ScratchFolder folder;
    const auto lines = someLines();
    const auto tokenizer = make(folder, specOf(GetParam(), 60), lines);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(tokenizer->vocabularySize()));
    for (const auto& line : lines)
        for (const auto id : tokenizer->encode(line)) ++counts[static_cast<std::size_t>(id)];
    std::string expected;
    for (std::int32_t id = 0; id < tokenizer->vocabularySize(); ++id)
        expected += std::to_string(id) + "\t" + tokenizer->token(id) + "\t" +
                    std::to_string(counts[static_cast<std::size_t>(id)]) + "\n";
    EXPECT_EQ(*readFile(folder.path() / "t" / "vocab.tsv"), expected);
}

TEST_P(EveryKind, ADamagedFolderIsNamed) {
    const ScratchFolder folder;
    make(folder, specOf(GetParam(), 60), someLines());
    const std::string model =
        std::filesystem::exists(folder.path() / "t/model.spm") ? "t/model.spm" : "t/model.txt";
    const std::string bytes = *readFile(folder.path() / model);
    folder.write(model, bytes.substr(0, bytes.size() / 2));
    const auto cut = loadTokenizer(folder.path() / "t");
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, "tokenizer.damaged");
    EXPECT_EQ(cut.error().exitCode(), 1);
    EXPECT_THAT(cut.error().text(),
                HasSubstr(model + ": is not the model that tokenizer.json names (other SHA-256); restore"));
    std::filesystem::remove(folder.path() / model);
    EXPECT_EQ(loadTokenizer(folder.path() / "t").error().code, "tokenizer.damaged");
    for (const char* about :
         {"", "{", "[]", "{\"kind\":3}", "{\"kind\":\"bpe\",\"sha256\":\"x\",\"lower_case\":1}"}) {
        folder.write("t/tokenizer.json", about);
        EXPECT_EQ(loadTokenizer(folder.path() / "t").error().code, "tokenizer.damaged") << about;
    }
    EXPECT_EQ(loadTokenizer(folder.path() / "nowhere").error().code, "tokenizer.missing");
}

// Every file of it, cut anywhere: what was read of it and what was only shown.
TEST_P(EveryKind, ATruncatedFileIsDetected) {
    const ScratchFolder folder;
    make(folder, specOf(GetParam(), 60), someLines());
    ASSERT_TRUE(checkTokenizer(folder.path() / "t"));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "t")) {
        const std::string bytes = *readFile(entry.path()), name = entry.path().filename().string();
        // The description's last byte is a line's end, which says nothing.
        for (std::size_t size = 0; size + (name == "tokenizer.json") < bytes.size();
             size += 1 + bytes.size() / 40) {
            folder.write("t/" + name, bytes.substr(0, size));
            const auto cut = checkTokenizer(folder.path() / "t");
            ASSERT_FALSE(cut) << name << " cut at " << size;
            EXPECT_EQ(cut.error().code, "tokenizer.damaged") << name;
            EXPECT_THAT(cut.error().file, HasSubstr(name));
        }
        folder.write("t/" + name, bytes.substr(0, bytes.size() - 2));
        EXPECT_FALSE(checkTokenizer(folder.path() / "t")) << name << " without its last bytes";
        folder.write("t/" + name, bytes);
    }
    EXPECT_TRUE(checkTokenizer(folder.path() / "t"));
}

TEST(Tokenizer, SaysTheLargestPossibleVocabulary) {
    const ScratchFolder folder;
    for (const char* kind : {"bpe", "unigram"}) {
        const auto large = trainTokenizer(specOf(kind, 30000), someLines(), folder.path() / kind);
        ASSERT_FALSE(large);
        EXPECT_EQ(large.error().code, "tokenizer.vocabulary");
        EXPECT_EQ(large.error().field, "data.tokenizer.vocabulary");
        EXPECT_THAT(large.error().text(), HasSubstr("cannot fill 30000 tokens; use at most ")) << kind;
        const int most = std::stoi(large.error().remedy.substr(std::string("use at most ").size()));
        EXPECT_TRUE(trainTokenizer(specOf(kind, most), someLines(), folder.path() / kind))
            << kind << " " << most;
        const auto small = trainTokenizer(specOf(kind, 16), someLines(), folder.path() / "small");
        EXPECT_THAT(small.error().text(), HasSubstr("16 tokens are too few for the characters")) << kind;
    }
}

// "Use at most 8" was no way out: a vocabulary has at least 16.
TEST(Tokenizer, OfTooFewWordsTheRemedyIsMoreText) {
    const ScratchFolder folder;
    const std::vector<std::string> lines(40, "aaa");
    for (const char* kind : {"bpe", "unigram"}) {
        const Status made = trainTokenizer(specOf(kind, kMinVocabularySize), lines, folder.path() / kind);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().field, "data.train");
        EXPECT_THAT(made.error().text(), HasSubstr("16 are the minimum; give it sentences with more"))
            << kind;
    }
    EXPECT_TRUE(trainTokenizer(specOf("word", kMinVocabularySize), lines, folder.path() / "word"))
        << "the other way out that is named";
}

TEST(Tokenizer, NeedsText) {
    const ScratchFolder folder;
    for (const char* kind : {"bpe", "word"})
        EXPECT_EQ(trainTokenizer(specOf(kind, 60), std::vector<std::string>{"", " "}, folder.path() / "t")
                      .error()
                      .code,
                  "tokenizer.empty_corpus");
}

TEST(Tokenizer, WordsAreSplitAtPunctuationNotInsideApostrophes) {
    const ScratchFolder folder;
    const auto tokenizer = make(folder, specOf("word", 100), {"“God’s 3 men,” he said—it's 'so'."});
    std::vector<std::string> tokens;
    for (const auto id : tokenizer->encode("“God’s 3 men,” he said—it's 'so'."))
        tokens.push_back(tokenizer->token(id));
    EXPECT_THAT(tokens, ElementsAre("▁“", "God’s", "▁3", "▁men", ",", "”", "▁he", "▁said", "—", "it's", "▁'",
                                    "so", "'", "."));
}

TEST(Tokenizer, MostFrequentWordsStayWhenThereAreTooMany) {
    const ScratchFolder folder;
    const auto tokenizer = make(folder, specOf("whitespace", 7), {"a a a", "b b", "c"});
    EXPECT_EQ(tokenizer->vocabularySize(), 7);
    EXPECT_THAT(tokenizer->encode("a b c"), ElementsAre(5, 6, kUnk));
}

TEST(Tokenizer, CharactersAreCodePoints) {
    const ScratchFolder folder;
    const auto tokenizer = make(folder, specOf("character", 1000), {"aab é山", "b e\u0301"});
    EXPECT_EQ(tokenizer->vocabularySize(), kFirstRegularToken + 7) << "a b e ´ é 山 and the space";
    std::vector<std::string> tokens;
    for (const auto id : tokenizer->encode("ba 山e\u0301x")) tokens.push_back(tokenizer->token(id));
    EXPECT_THAT(tokens, ElementsAre("▁", "b", "a", "▁", "山", "e", "\u0301", "<unk>"));
    const auto few = make(folder, specOf("character", 16), someLines(), "few");
    EXPECT_EQ(few->vocabularySize(), 16) << "the most frequent";
}

TEST(Tokenizer, BytesNeedNoTrainingAndKnowEveryText) {
    const ScratchFolder folder;
    const auto tokenizer = make(folder, specOf("byte", 2000), {"a"});
    EXPECT_EQ(tokenizer->vocabularySize(), 261);
    EXPECT_EQ(tokenizer->hash(), make(folder, specOf("byte", 2000), {"other"}, "other")->hash());
    EXPECT_EQ(trainingHash(specOf("byte", 2000), std::vector<std::string>{"a"}),
              trainingHash(specOf("byte", 2000), std::vector<std::string>{"b"}));
    std::vector<std::string> tokens;
    const auto ids = tokenizer->encode("a é");
    for (const auto id : ids) tokens.push_back(tokenizer->token(id));
    EXPECT_THAT(tokens, ElementsAre("▁", "a", "▁", "<0xC3>", "<0xA9>"));
    for (const std::string text : {"a é", "<mask> <s>", " two  spaces ", "山水🙂", ""})
        EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
    EXPECT_EQ(tokenizer->decode(std::span(ids).first(4)), "a \uFFFD") << "half a character";
    EXPECT_TRUE(checkTokenizer(folder.path() / "t"));
    folder.write("t/model.txt", "the 255 bytes\n");
    EXPECT_EQ(loadTokenizer(folder.path() / "t").error().code, "tokenizer.damaged");
}

TEST(LowerCase, KnowsEveryScript) {
    EXPECT_EQ(lowerCase("AZ ÀÖØÞ×ß ŁŹŻĄĞŸ ΆΈΎΏΑΩ ЀЏАЯ 漢"), "az àöøþ×ß łźżąğÿ άέύώαω ѐџая 漢");
    EXPECT_EQ(lowerCase("ÄäĿŀŇňŊŋ"), "ääŀŀňňŋŋ");
    EXPECT_EQ(lowerCase("ẠẾỰ Ґ ҚҮӨ ƠƯǍ Ա Ა Ἀ Ａ İẞ"), "ạếự ґ қүө ơưǎ ա ა ἀ ａ iß");
}

}  // namespace
}  // namespace kurve::text
