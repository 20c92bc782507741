#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/text/published/published_tokenizer.h"
#include "core/text/reference_text.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// tests/golden/tokenizers/make_tokenizers.py wrote these files.
const std::filesystem::path kGolden = KURVE_SOURCE_DIR "/tests/golden/tokenizers";
constexpr std::size_t kLines = 10000, kBlock = 100;

const json& golden(const char* name) {
    static std::map<std::string, json> files;
    json& file = files[name];
    if (file.is_null()) file = json::parse(*readFile(kGolden / name));
    return file;
}

/// The generator's own draws.
class LineDraws {
public:
    explicit LineDraws(std::uint64_t seed) : state_(seed * 2654435761U + 12345U) {}
    std::uint64_t below(std::uint64_t n) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33U) % n;
    }
    std::string of(const json& list) { return list[below(list.size())]; }

private:
    std::uint64_t state_;
};

std::string drawCharacters(LineDraws& draws) {
    const json& ranges = golden("lines.json")["ranges"];
    const json& range = ranges[draws.below(ranges.size())];
    const auto low = range[0].get<std::uint64_t>(), high = range[1].get<std::uint64_t>();
    const std::uint64_t length = draws.below(60) == 0 ? 60 + draws.below(200) : 1 + draws.below(6);
    std::vector<char32_t> characters(length);
    for (char32_t& p : characters) p = static_cast<char32_t>(low + draws.below(high - low + 1));
    return toUtf8(characters);
}

std::string drawLine(std::uint64_t index) {
    const json& alphabets = golden("lines.json");
    LineDraws draws(index);
    std::string line;
    for (std::uint64_t words = 1 + draws.below(9); words > 0; --words) {
        line += draws.below(2) == 0 ? draws.of(alphabets["words"]) : drawCharacters(draws);
        line += draws.of(alphabets["separators"]);
    }
    return line;
}

const std::vector<std::string>& allLines() {
    static const std::vector<std::string> lines = [] {
        std::vector<std::string> drawn;
        for (std::size_t i = 0; i < kLines; ++i) drawn.push_back(drawLine(i));
        return drawn;
    }();
    return lines;
}

/// FNV-1a over rows of numbers, each row closed.
class RowHash {
public:
    template <class Row>
    void add(const Row& row) {
        for (const auto value : row)
            step(static_cast<std::make_unsigned_t<std::decay_t<decltype(value)>>>(value));
        step(0xFFFFFFFFU);
    }
    [[nodiscard]] std::string hex() const { return fmt::format("{:016x}", hash_); }

private:
    void step(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001B3U; }
    std::uint64_t hash_ = 0xCBF29CE484222325U;
};

template <class Rows>
std::vector<std::string> blockHashes(const Rows& rows) {
    std::vector<std::string> hashes;
    for (std::size_t from = 0; from < rows.size(); from += kBlock) {
        RowHash hash;
        for (std::size_t i = from; i < std::min(from + kBlock, rows.size()); ++i) hash.add(rows[i]);
        hashes.push_back(hash.hex());
    }
    return hashes;
}

PublishedTokenizer read(const std::filesystem::path& path) {
    auto read = readPublishedTokenizer(path);
    EXPECT_TRUE(read) << read.error().text();
    return *read;
}

struct PublishedCase {
    const char* name;  ///< in golden.json
    const char* path;
    const char* kind;
    SpecialIds special;
    std::int32_t size;
};
std::ostream& operator<<(std::ostream& out, const PublishedCase& tested) {
    return out << tested.name;
}

class PublishedKind : public testing::TestWithParam<PublishedCase> {
protected:
    [[nodiscard]] static const json& expected() { return golden("golden.json")[GetParam().name]; }
    PublishedTokenizer read_ = read(kGolden / GetParam().path);
    const Tokenizer& tokenizer_ = *read_.tokenizer;
};

constexpr std::int32_t kNo = SpecialIds::kNone;
INSTANTIATE_TEST_SUITE_P(
    Kinds, PublishedKind,
    testing::Values(
        PublishedCase{"gpt2", "gpt2", "byte-bpe", {.bos = 0, .eos = 0}, 1200},
        PublishedCase{"llama3", "llama3", "byte-bpe", {.bos = 1100, .eos = 1101, .mask = 1102}, 1103},
        PublishedCase{"nfc", "nfc", "byte-bpe", {.bos = 0, .eos = 2, .pad = 1, .unk = 3, .mask = 4}, 900},
        PublishedCase{"bert", "bert", "wordpiece", {.bos = 2, .eos = 3, .pad = 0, .unk = 1, .mask = 4}, 1500},
        PublishedCase{"cased_list",
                      "cased_list",
                      "wordpiece",
                      {.bos = 2, .eos = 3, .pad = 0, .unk = 1, .mask = 4},
                      1200},
        PublishedCase{"gpt2.tiktoken", "gpt2.tiktoken", "tiktoken", {.bos = 700, .eos = 700}, 701},
        PublishedCase{
            "cl100k_base.tiktoken", "cl100k_base.tiktoken", "tiktoken", {.bos = 1001, .eos = 1001}, 1021},
        PublishedCase{
            "o200k_base.tiktoken", "o200k_base.tiktoken", "tiktoken", {.bos = 1201, .eos = 1201}, 1221}));

// The vocabulary spells " the" by merges, or at once; as a special token it is out of reach for text.
TEST(PublishedTokenizers, MergesNeverEndInASpecialToken) {
    for (const char* base : {"gpt2", "llama3"}) {
        const ScratchFolder folder;
        json spec = json::parse(*readFile(kGolden / base / "tokenizer.json"));
        const std::int32_t id = spec["model"]["vocab"]["Ġthe"];
        const auto before = read(folder.write("before/tokenizer.json", spec.dump()));
        EXPECT_THAT(before.tokenizer->encode(" the"), ElementsAre(id));
        spec["added_tokens"].push_back({{"id", id}, {"content", "Ġthe"}, {"special", true}});
        const auto after = read(folder.write("after/tokenizer.json", spec.dump()));
        const auto ids = after.tokenizer->encode(" the");
        EXPECT_THAT(ids, Not(Contains(id))) << base;
        EXPECT_EQ(after.tokenizer->decode(ids), " the");
    }
}

TEST(PublishedTokenizers, UnknownWordsBecomeTheModelsOwnToken) {
    const ScratchFolder folder;
    json spec = json::parse(*readFile(kGolden / "bert" / "tokenizer.json"));
    spec["model"]["unk_token"] = "the";
    const auto published = read(folder.write("tokenizer.json", spec.dump()));
    EXPECT_EQ(published.tokenizer->token(published.tokenizer->special().unk), "the");
    EXPECT_THAT(published.tokenizer->encode("\U00020000"), ElementsAre(published.tokenizer->special().unk));
}

TEST(PublishedTokenizers, TheLinesAreTheGenerators) {
    for (const auto& [index, line] : golden("golden.json")["full"].items())
        EXPECT_EQ(allLines()[std::stoul(index)], line.get<std::string>());
    EXPECT_EQ(blockHashes(allLines()), golden("golden.json")["lines"].get<std::vector<std::string>>());
}

TEST_P(PublishedKind, EncodesAsItsOwnLibrary) {
    for (const auto& [index, ids] : expected()["full"].items())
        ASSERT_EQ(tokenizer_.encode(allLines()[std::stoul(index)]), ids.get<std::vector<std::int32_t>>())
            << allLines()[std::stoul(index)];
    std::vector<std::vector<std::int32_t>> ids;
    for (const std::string& line : allLines()) ids.push_back(tokenizer_.encode(line));
    EXPECT_EQ(blockHashes(ids), expected()["ids"].get<std::vector<std::string>>());
}

TEST_P(PublishedKind, DecodesAsItsOwnLibrary) {
    std::vector<std::string> texts;
    std::size_t same = 0;
    for (const std::string& line : allLines()) {
        texts.push_back(tokenizer_.decode(tokenizer_.encode(line)));
        same += texts.back() == line ? 1 : 0;
    }
    EXPECT_EQ(blockHashes(texts), expected()["texts"].get<std::vector<std::string>>());
    EXPECT_EQ(same, expected()["lines_that_come_back"].get<std::size_t>());
}

TEST_P(PublishedKind, DecodesEachTokenAlone) {
    RowHash hash;
    for (std::int32_t id = 0; id < expected()["tokens"].get<std::int32_t>(); ++id)
        hash.add(tokenizer_.decode(std::vector{id}));
    EXPECT_EQ(hash.hex(), expected()["each_token"].get<std::string>());
}

TEST_P(PublishedKind, KeepsItsOwnIds) {
    const SpecialIds &has = read_.tokenizer->special(), &wants = GetParam().special;
    EXPECT_EQ(read_.kind, GetParam().kind);
    EXPECT_EQ(tokenizer_.vocabularySize(), GetParam().size);
    EXPECT_THAT((std::vector{has.bos, has.eos, has.pad, has.unk, has.mask}),
                ElementsAre(wants.bos, wants.eos, wants.pad, wants.unk, wants.mask));
    for (const std::int32_t id : {has.bos, has.eos, has.pad, has.mask}) {
        if (id != kNo) {
            EXPECT_EQ(tokenizer_.decode(std::vector{id}), "") << tokenizer_.token(id);
        }
    }
}

TEST_P(PublishedKind, TextNeverBecomesASpecialToken) {
    std::vector<std::string> lines = allLines();
    for (std::int32_t id = 0; id < tokenizer_.vocabularySize(); ++id) lines.push_back(tokenizer_.token(id));
    const SpecialIds& special = read_.tokenizer->special();
    for (const std::string& line : lines)
        for (const std::int32_t id : tokenizer_.encode(line)) {
            ASSERT_NE(id, special.bos) << line;
            ASSERT_NE(id, special.eos) << line;
            ASSERT_NE(id, special.mask) << line;
        }
}

TEST_P(PublishedKind, ThreadsShareIt) {
    std::vector<std::thread> threads;
    std::array<std::vector<std::string>, 3> hashes;
    for (auto& mine : hashes)
        threads.emplace_back([&] {
            std::vector<std::vector<std::int32_t>> ids;
            for (std::size_t i = 0; i < 2000; ++i) ids.push_back(tokenizer_.encode(allLines()[i]));
            mine = blockHashes(ids);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_P(PublishedKind, VeryLongWordsComeBack) {
    constexpr std::size_t kLong = 100000;
    for (const std::string piece : {"a", " ", "1", "\n", "世", "A", "!", "\t ", "Aé"}) {
        std::string text;
        while (text.size() < kLong) text += piece;
        const auto ids = tokenizer_.encode(text);
        if (expected()["lines_that_come_back"] == kLines) {
            ASSERT_EQ(tokenizer_.decode(ids), text) << piece;
        }
    }
}

TEST_P(PublishedKind, RefusesWhatIsNoUtf8AndNoId) {
    EXPECT_THROW((void)tokenizer_.encode("a\xFF"), ContractError);
    EXPECT_THROW((void)tokenizer_.decode(std::vector{-1}), ContractError);
    EXPECT_THROW((void)tokenizer_.decode(std::vector{tokenizer_.vocabularySize()}), ContractError);
    EXPECT_THROW((void)tokenizer_.token(tokenizer_.vocabularySize()), ContractError);
    EXPECT_TRUE(tokenizer_.encode("").empty());
    EXPECT_EQ(tokenizer_.decode({}), "");
}

TEST(PublishedTokenizers, AnIdWithoutATokenIsUnused) {
    const auto published = read(kGolden / "cl100k_base.tiktoken");
    EXPECT_EQ(published.tokenizer->token(1000), "<unused 1000>");
    EXPECT_EQ(published.tokenizer->token(1020), "<|endofprompt|>");
    EXPECT_EQ(published.tokenizer->decode(std::vector{1000, 1020}), "");
}

TEST(PublishedTokenizers, TheHashIsOfTheFileAndItsSettings) {
    const ScratchFolder folder;
    const std::string list = *readFile(kGolden / "cased_list" / "vocab.txt");
    const auto one = read(folder.write("a/vocab.txt", list)), same = read(folder.write("b/vocab.txt", list));
    folder.write("c/tokenizer_config.json", R"({"do_lower_case": true})");
    const auto lower = read(folder.write("c/vocab.txt", list));
    const auto longer = read(folder.write("d/vocab.txt", list + "further\n"));
    EXPECT_EQ(one.tokenizer->hash(), same.tokenizer->hash());
    EXPECT_NE(one.tokenizer->hash(), lower.tokenizer->hash());
    EXPECT_NE(one.tokenizer->hash(), longer.tokenizer->hash());
    EXPECT_EQ(lower.tokenizer->encode("The"), one.tokenizer->encode("the"));
    EXPECT_NE(lower.tokenizer->encode("The"), one.tokenizer->encode("The"));
    EXPECT_EQ(referenceText(*lower.tokenizer, "The house"), "the house") << "BERT's uncased models";
    EXPECT_EQ(referenceText(*one.tokenizer, "The house"), "The house");
}

TEST(PublishedTokenizers, TheConfigurationNamesTheSpecialTokens) {
    const ScratchFolder folder;
    folder.write("tokenizer.json", *readFile(kGolden / "gpt2" / "tokenizer.json"));
    folder.write("tokenizer_config.json",
                 R"({"pad_token": {"content": "the"}, "eos_token": null, "unk_token": "<|endoftext|>"})");
    const auto published = read(folder.path());
    EXPECT_EQ(published.tokenizer->token(published.tokenizer->special().pad), "the");
    EXPECT_EQ(published.tokenizer->special().eos, 0);
    EXPECT_EQ(published.tokenizer->special().unk, kNo);
    folder.write("tokenizer_config.json", R"({"mask_token": "<no such>"})");
    const auto wrong = readPublishedTokenizer(folder.path());
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, "tokenizer.damaged");
    EXPECT_THAT(wrong.error().text(), HasSubstr("\"<no such>\" as mask_token"));
}

/// What becomes of a tokenizer.json after a change.
Error errorAfter(const char* base, const char* pointer, const json& value) {
    const ScratchFolder folder;
    json spec = json::parse(*readFile(kGolden / base / "tokenizer.json"));
    spec[json::json_pointer(pointer)] = value;
    const auto read = readPublishedTokenizer(folder.write("tokenizer.json", spec.dump()));
    EXPECT_FALSE(read) << pointer;
    return read ? Error() : read.error();
}

TEST(PublishedTokenizers, NamesThePartThatIsNotSupported) {
    struct Row {
        const char *base, *pointer;
        json value;
        const char* message;
    };
    const std::vector<Row> rows = {
        {"gpt2", "/model/type", "Unigram", "model \"Unigram\""},
        {"gpt2", "/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix \"</w>\""},
        {"gpt2", "/model/dropout", 0.1, "model.dropout \"0.1\""},
        {"gpt2", "/normalizer", {{"type", "Precompiled"}}, "normalizer \"Precompiled\""},
        {"gpt2", "/pre_tokenizer", {{"type", "Metaspace"}}, "pre_tokenizer \"Metaspace\""},
        {"gpt2", "/pre_tokenizer", json(), "pre_tokenizer \"null\""},
        {"gpt2", "/decoder", {{"type", "BPEDecoder"}}, "decoder \"BPEDecoder\""},
        {"llama3", "/pre_tokenizer/pretokenizers/0/type", "Digits", "pre_tokenizer \"Digits\""},
        {"llama3", "/pre_tokenizer/pretokenizers/0/behavior", "Contiguous", "Split \"Contiguous\""},
        {"llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "(a", "cannot be read at byte 2"},
        {"llama3", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "[a-z&&[b]]", "sets within sets"},
        {"bert", "/normalizer", {{"type", "Lowercase"}}, "normalizer \"Lowercase\""},
        {"bert", "/pre_tokenizer", {{"type", "Whitespace"}}, "pre_tokenizer \"Whitespace\""},
        {"bert", "/decoder", {{"type", "CTC"}}, "decoder \"CTC\""}};
    for (const Row& row : rows) {
        const Error error = errorAfter(row.base, row.pointer, row.value);
        EXPECT_EQ(error.code, "tokenizer.unsupported") << row.message;
        EXPECT_THAT(error.text(), AllOf(HasSubstr(row.message), HasSubstr("tokenizer.json")));
    }
    EXPECT_THAT(errorAfter("bert", "/decoder", {{"type", "CTC"}}).text(), HasSubstr("supported: WordPiece"));
}

TEST(PublishedTokenizers, SaysWhatIsDamaged) {
    EXPECT_EQ(errorAfter("gpt2", "/model/vocab/the", 5).code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("gpt2", "/model/vocab/the", -5).code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("gpt2", "/model/vocab/the", 1e9).code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("gpt2", "/model/vocab", json::array()).code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("gpt2", "/model/merges/7", "one").code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("gpt2", "/model/merges/7", "not there").code, "tokenizer.damaged");
    EXPECT_EQ(errorAfter("bert", "/model/unk_token", "[NO]").code, "tokenizer.damaged");
    const ScratchFolder folder;
    for (const auto& [name, bytes] :
         std::map<std::string, std::string>{{"a/tokenizer.json", "{"},
                                            {"b/gpt2.tiktoken", "IQ== 0\nIg= 1\n"},
                                            {"c/vocab.txt", "the\nand\n"},
                                            {"d/vocab.txt", "\xFF\n"}}) {
        const auto read = readPublishedTokenizer(folder.write(name, bytes));
        ASSERT_FALSE(read) << name;
        EXPECT_EQ(read.error().code, "tokenizer.damaged");
        EXPECT_THAT(read.error().text(), HasSubstr(name));
    }
}

TEST(PublishedTokenizers, SaysWhatIsMissing) {
    const ScratchFolder folder;
    const auto empty = readPublishedTokenizer(folder.path());
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().code, "tokenizer.missing");
    const auto none = readPublishedTokenizer(folder.path() / "none.json");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, "tokenizer.missing");
    const auto other = readPublishedTokenizer(folder.write("p50k_base.tiktoken", "IQ== 0\n"));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, "tokenizer.unsupported");
    const auto bytes = readPublishedTokenizer(folder.write("gpt2.tiktoken", "IQ== 0\n"));
    ASSERT_FALSE(bytes);
    EXPECT_THAT(bytes.error().text(), HasSubstr("without the byte 00"));
}

}  // namespace
}  // namespace kurve::text
