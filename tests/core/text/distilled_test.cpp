#include "core/text/distilled.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/text/dataset.h"
#include "core/text/trained_specials.h"
#include "scratch_folder.h"

namespace kurve::text {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ids = std::vector<std::int32_t>;

/// Every letter is a token, "ab" one more.
class Letters : public Tokenizer {
public:
    [[nodiscard]] Ids encode(std::string_view text) const override {
        Ids ids;
        for (const char c : text) ids.push_back(c == ' ' ? 31 : kFirstRegularToken + (c - 'a'));
        return ids;
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::string text;
        for (const auto id : ids) text += id == 31 ? " " : id == 32 ? "ab" : token(id);
        return text;
    }
    [[nodiscard]] std::string token(std::int32_t id) const override {
        if (id < kFirstRegularToken) return kSpecialTokens[static_cast<std::size_t>(id)];
        if (id == 31) return "▁";
        return id == 32 ? "ab" : std::string(1, static_cast<char>('a' + id - kFirstRegularToken));
    }
    [[nodiscard]] std::int32_t vocabularySize() const override { return 33; }
    [[nodiscard]] const SpecialIds& special() const override { return kTrainedSpecials; }
    [[nodiscard]] WordBoundary wordBoundary() const override { return WordBoundary::Mark; }
    [[nodiscard]] const std::string& hash() const override { return hash_; }
    std::string hash_ = "1234";
};

const Letters kLetters;

DistilledPair pairOf(const std::string& source, const Ids& target) {
    return {source, static_cast<std::int64_t>(kLetters.encode(source).size()), target};
}

class DistilledTest : public ::testing::Test {
protected:
    Result<DistilReport> write(const std::vector<DistilledPair>& pairs, const DistilFilter& filter = {}) {
        const std::vector<std::string> references(pairs.size(), "cab");
        DistilledCorpus corpus{"toy-kd", {{"run", "teacher"}}, pairs, references, {"# public domain"}};
        return writeDistilled(folder_.path(), corpus, kLetters, filter);
    }
    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "data/toy-kd.train.tsv"; }
    ScratchFolder folder_;
};

Result<std::vector<Ids>> readTargets(const std::filesystem::path& file, const Tokenizer& tokenizer) {
    auto corpus = readCorpus(DistilledTargets::source(file));
    if (!corpus) return distilledError(file, std::move(corpus.error()));
    KURVE_TRY(const DistilledTargets targets, DistilledTargets::open(file, corpus->notices, tokenizer));
    std::vector<Ids> all;
    for (const Pair& pair : corpus->pairs) {
        KURVE_TRY(all.emplace_back(), targets.ids(pair));
    }
    return all;
}

TEST_F(DistilledTest, KeepsTheTokensThatTheTeacherChose) {
    // "ab" as one token and as two: encoding the text again could not tell them apart.
    const auto report = write({pairOf("cab", {7, 32}), pairOf("ab", {5, 6}), pairOf("ca", {7, 5, 6})});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->file, "data/toy-kd.train.tsv");
    EXPECT_EQ(report->pairs, 3);
    EXPECT_EQ(report->copied, 2);
    EXPECT_EQ(report->original, 2);
    const auto corpus = readCorpus(DistilledTargets::source(file()));
    ASSERT_TRUE(corpus) << corpus.error().text();
    EXPECT_THAT(*readTargets(file(), kLetters), ElementsAre(Ids{7, 32}, Ids{5, 6}, Ids{7, 5, 6}));
    EXPECT_EQ(corpus->pairs[1].source, "ab");
    EXPECT_THAT(corpus->notices, ElementsAre("# public domain", "# distilled; tokenizer 1234"));
    EXPECT_EQ(*readFile(folder_.path() / "data/toy-kd.train.jsonl"),
              "{\"src\":\"cab\",\"trg\":\"cab\"}\n{\"src\":\"ab\",\"trg\":\"ab\"}\n"
              "{\"src\":\"ca\",\"trg\":\"cab\"}\n");
    const json about = json::parse(*readFile(folder_.path() / "data/toy-kd.corpus.json"));
    EXPECT_EQ(about["distilled"]["run"], "teacher");
    EXPECT_EQ(about["splits"]["train"]["sha256"], sha256(*readFile(file())));
}

TEST_F(DistilledTest, LeavesOutWhatAStudentCannotLearnFrom) {
    const auto report = write({pairOf("abc", {}), pairOf("ab", {5, 5, 5, 5, 5, 5, 5}),
                               pairOf("ab", Ids(6, 5)), pairOf("abcdefghij", Ids(9, 7)), pairOf("a", {5})},
                              {9, 3});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->empty, 1);
    EXPECT_EQ(report->unlikeLengths, 1);  // 7 > 3 x 2; 6 is just alike
    EXPECT_EQ(report->tooLong, 1);        // a source of 10
    EXPECT_EQ(report->pairs, 2);
    EXPECT_EQ(write({pairOf("abc", {})}).error().code, "data.empty");
}

TEST_F(DistilledTest, RefusesOtherFilesAndTokenizers) {
    ASSERT_TRUE(write({pairOf("ab", {5, 6})}));
    Letters other;
    other.hash_ = "5678";
    EXPECT_EQ(readTargets(file(), other).error().code, "data.distilled_tokenizer");
    folder_.write("raw.tsv", "a\tb\n");
    EXPECT_EQ(readTargets(folder_.path() / "raw.tsv", kLetters).error().code, "data.distilled_file");
    folder_.write("no-notice.tsv", "a\tb\ta b\n");
    EXPECT_EQ(readTargets(folder_.path() / "no-notice.tsv", kLetters).error().code, "data.distilled_file");
    folder_.write("edited.tsv", "# distilled; tokenizer 1234\nab\tab\ta zz\n");
    const Error edited = readTargets(folder_.path() / "edited.tsv", kLetters).error();
    EXPECT_EQ(edited.code, "data.distilled_token");
    EXPECT_THAT(edited.text(), HasSubstr("zz"));
}

}  // namespace
}  // namespace kurve::text
