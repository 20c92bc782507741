// Published tokenizers as a project's and a model's own.
#include <gmock/gmock.h>

#include <fstream>

#include "core/base/file.h"
#include "core/text/prompt.h"
#include "core/text/published/published_tokenizer.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const fs::path kGolden = KURVE_SOURCE_DIR "/tests/golden/tokenizers";

PublishedTokenizer published(const char* name) {
    auto read = readPublishedTokenizer(kGolden / name);
    EXPECT_TRUE(read) << read.error().text();
    return *read;
}

std::shared_ptr<const Tokenizer> completed(const char* name, std::int64_t vocabulary = 0) {
    auto made = completeTokenizer(published(name).tokenizer, vocabulary);
    EXPECT_TRUE(made) << made.error().text();
    return *made;
}

// MDLM's code, diffusion.py: without a mask its id is the vocabulary's size, which grows by one.
TEST(CompletedTokenizers, TheMaskIsAppendedFirst) {
    const auto gpt2 = completed("gpt2");
    EXPECT_EQ(gpt2->special(), (SpecialIds{.bos = 0, .eos = 0, .pad = 1201, .unk = -1, .mask = 1200}));
    EXPECT_EQ(gpt2->vocabularySize(), 1202);
    EXPECT_EQ(gpt2->token(1200), "<mask>");
    EXPECT_EQ(gpt2->decode(std::vector{1200, 1201, 0}), "");
    const auto plain = published("gpt2").tokenizer;
    EXPECT_EQ(gpt2->encode("and the <mask>"), plain->encode("and the <mask>"));
    EXPECT_NE(gpt2->hash(), plain->hash());
}

TEST(CompletedTokenizers, AModelSaysHowManyIdsThereAre) {
    const auto mdlm = completed("gpt2", 1201);
    EXPECT_EQ(mdlm->special(), (SpecialIds{.bos = 0, .eos = 0, .pad = 0, .unk = -1, .mask = 1200}));
    EXPECT_EQ(mdlm->vocabularySize(), 1201);
    for (const std::int64_t other : {1100, 1200, 1203}) {
        const auto made = completeTokenizer(published("gpt2").tokenizer, other);
        ASSERT_FALSE(made) << other;
        EXPECT_EQ(made.error().code, "tokenizer.vocabulary");
        EXPECT_THAT(made.error().message, HasSubstr(std::to_string(other)));
    }
}

TEST(CompletedTokenizers, OneThatHasAllStaysAsItIs) {
    const auto bert = published("bert").tokenizer;
    EXPECT_EQ(*completeTokenizer(bert, 1500), bert);
    EXPECT_EQ(completed("llama3")->special(),
              (SpecialIds{.bos = 1100, .eos = 1101, .pad = 1103, .unk = -1, .mask = 1102}));
}

TEST(StoredTokenizers, AreWhatWasStored) {
    for (const char* name : {"gpt2", "bert", "cased_list", "cl100k_base.tiktoken"}) {
        const ScratchFolder folder;
        const auto stored = storePublishedTokenizer(published(name), 0, folder.path() / "t");
        ASSERT_TRUE(stored) << name << stored.error().text();
        const auto loaded = loadTokenizer(folder.path() / "t");
        ASSERT_TRUE(loaded) << name << loaded.error().text();
        EXPECT_TRUE(isTokenizerFolder(folder.path() / "t"));
        EXPECT_FALSE(isTokenizerFolder(kGolden / name));
        EXPECT_EQ((*loaded)->hash(), completed(name)->hash());
        EXPECT_EQ((*loaded)->special(), completed(name)->special());
        EXPECT_EQ((*loaded)->encode("In the beginning"), completed(name)->encode("In the beginning"));
        EXPECT_TRUE(checkTokenizer(folder.path() / "t"));
        EXPECT_TRUE(storePublishedTokenizer(published(name), 0, folder.path() / "t")) << "the same again";
        const auto other = storePublishedTokenizer(published("nfc"), 0, folder.path() / "t");
        ASSERT_FALSE(other);
        EXPECT_EQ(other.error().code, "tokenizer.exists");
    }
}

TEST(StoredTokenizers, DamageIsFound) {
    const ScratchFolder folder;
    const fs::path stored = folder.path() / "t";
    ASSERT_TRUE(storePublishedTokenizer(published("gpt2"), 0, stored));
    const std::string text = *readFile(stored / "published.json");
    std::ofstream(stored / "published.json") << text.substr(0, text.size() / 2);
    EXPECT_EQ(loadTokenizer(stored).error().code, "tokenizer.damaged");
    fs::copy_file(kGolden / "nfc" / "tokenizer.json", stored / "published.json",
                  fs::copy_options::overwrite_existing);
    EXPECT_EQ(loadTokenizer(stored).error().code, "tokenizer.damaged") << "another vocabulary";
    std::string about = *readFile(stored / "tokenizer.json");
    about.replace(about.find("published.json"), 14, "../t/out.json");
    std::ofstream(stored / "tokenizer.json") << about;
    EXPECT_EQ(loadTokenizer(stored).error().code, "tokenizer.damaged") << "a file elsewhere";
}

TEST(PublishedFolders, SeveralTokenizersAreNamed) {
    const ScratchFolder folder;
    fs::copy_file(kGolden / "gpt2" / "tokenizer.json", folder.path() / "tokenizer.json");
    fs::copy_file(kGolden / "gpt2.tiktoken", folder.path() / "gpt2.tiktoken");
    const auto read = readPublishedTokenizer(folder.path());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "tokenizer.ambiguous");
    EXPECT_THAT(read.error().message, HasSubstr("tokenizer.json, gpt2.tiktoken"));
}

TEST(ShownTokens, AreOfOneForm) {
    const auto shown = [](const Tokenizer& tokenizer, std::string_view text) {
        std::vector<std::string> all;
        for (const std::int32_t id : tokenizer.encode(text)) all.push_back(shownToken(tokenizer, id));
        return all;
    };
    EXPECT_THAT(shown(*completed("gpt2"), "the the"), ElementsAre("the", "▁the"));
    EXPECT_EQ(shown(*completed("gpt2"), "\n").front(), "Ċ") << "one line";
    EXPECT_THAT(shown(*completed("bert"), "the kings").front(), "▁the");
    EXPECT_EQ(shownToken(*completed("bert"), 4), "[MASK]");
    EXPECT_EQ(shownToken(*completed("gpt2"), 1200), "<mask>");
}

// A blank takes the space before it: what follows it with a space is spelled with one.
TEST(PublishedPrompts, BlanksMeetWordsAsInTheText) {
    const auto encoded = [](const std::shared_ptr<const Tokenizer>& tokenizer, const char* text) {
        auto made = encodePrompt({tokenizer, tokenizer, {}, {}}, {text, PromptKind::Infill});
        EXPECT_TRUE(made) << made.error().text();
        return made->known.ids;
    };
    const auto gpt2 = completed("gpt2");
    const auto one = [&](const char* text) { return gpt2->encode(text).front(); };
    EXPECT_THAT(encoded(gpt2, "the [MASK] and"), ElementsAre(0, one("the"), 1200, one(" and"), 0));
    EXPECT_THAT(encoded(gpt2, "the [MASK]s"), ElementsAre(0, one("the"), 1200, one("s"), 0));
    EXPECT_THAT(encoded(gpt2, "[MASK] the"), ElementsAre(0, 1200, one(" the"), 0));
    const auto bert = completed("bert");
    const std::int32_t the = bert->encode("the").front(), dot = bert->encode(".").front();
    EXPECT_THAT(encoded(bert, "the [MASK] the."), ElementsAre(2, the, 4, the, dot, 3));
    EXPECT_THAT(encoded(bert, "the [MASK]."), ElementsAre(2, the, 4, dot, 3));
    const auto joined = encoded(bert, "the [MASK]s");
    EXPECT_THAT(bert->token(joined[3]), StartsWith("##"));
}

}  // namespace
}  // namespace kurve::text
