// Tokenization and neighbours of a token, on tokenizers and tables made here and on the sample's.
#include "views/corpus/token_tools.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QThreadPool>
#include <cmath>
#include <fstream>

#include "core/store/safetensors.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_loader.h"

namespace kurve::views {
namespace {

namespace fs = std::filesystem;

/// A tokenizer of the words "in the house the dog" and a run whose table puts them where they can be counted.
class TokenToolsTest : public ::testing::Test {
protected:
    TokenToolsTest() {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        const std::vector<std::string> lines{"in the house", "the dog in the house", "the dog"};
        const auto made = text::trainTokenizer({"whitespace", 20, false, 1.0}, lines, tokenizer());
        EXPECT_TRUE(made) << made.error().text();
        auto loaded = text::loadTokenizer(tokenizer());
        EXPECT_TRUE(loaded);
        words_ = *loaded;
        // As in a project: the folder is named by the hash.
        fs::rename(tokenizer(), folder_ / words_->hash().substr(0, 12));
        name_ = words_->hash().substr(0, 12);
        writeTable("step-00000100", 1);
        writeTable("step-00000200", 2);
        fs::create_directories(run() / "checkpoints" / "step-00000300");  // only begun
    }
    fs::path tokenizer() const { return folder_ / name_; }
    fs::path run() const { return folder_ / "run"; }
    /// Token i lies at (i, 0), the last one at (0, scale).
    void writeTable(const std::string& step, float scale) {
        const int size = words_->vocabularySize();
        std::vector<float> rows;
        for (int i = 0; i < size; ++i) {
            rows.push_back(i + 1 < size ? static_cast<float>(i) : 0);
            rows.push_back(i + 1 < size ? 0 : scale);
        }
        const fs::path checkpoint = run() / "checkpoints" / step;
        fs::create_directories(checkpoint);
        EXPECT_TRUE(store::writeSafetensors(
            checkpoint / "weights.safetensors",
            {{"embedding.weight", {"F32", {size, 2}, std::as_bytes(std::span(rows))}}}, {}));
        std::ofstream(checkpoint / "state.json") << R"({"tokenizer_hash": ")" << words_->hash() << "\"}";
    }

    std::string name_ = "made";
    testing::TemporaryFolder folder_;
    std::shared_ptr<const text::Tokenizer> words_;
};

TEST_F(TokenToolsTest, UnknownTokensAreMarked) {
    const TokenizedText tokenization = tokenized(*words_, "the cat in the house");
    ASSERT_EQ(tokenization.tokens.size(), 5U);
    EXPECT_EQ(tokenization.unknown(), 1);
    EXPECT_TRUE(tokenization.tokens[1].unknown);
    EXPECT_EQ(tokenization.tokens[1].id, words_->special().unk);
    EXPECT_EQ(tokenization.tokens[0].id, tokenization.tokens[3].id);
    EXPECT_TRUE(tokenization.tokens[4].text.endsWith("house"));
}

TEST_F(TokenToolsTest, NeighboursAreThoseOfTheNewestWholeCheckpoint) {
    const RunEmbeddings table = tableOfRun(run());
    EXPECT_EQ(table.checkpoint.filename(), "step-00000200");
    EXPECT_EQ(table.tokenizer.toStdString(), words_->hash());
    const auto embeddings = embeddingsOf(table, tokenizer());
    ASSERT_TRUE(embeddings) << embeddings.error().text();
    const auto near = neighboursOf(**embeddings, 5, 3);
    ASSERT_EQ(near.size(), 3U);  // at (4, 0) and (6, 0), then (3, 0) or (7, 0)
    EXPECT_EQ(near[0].id + near[1].id, 10);
    EXPECT_DOUBLE_EQ(near[0].distance, 1);
    EXPECT_DOUBLE_EQ(near[2].distance, 2);
    EXPECT_NEAR(near[0].cosine, 1, 1e-6);
    const int last = words_->vocabularySize() - 1;
    const auto other = neighboursOf(**embeddings, last, 1);
    EXPECT_EQ(other[0].id, 0);  // at the origin, 2 away; an angle it has not
    EXPECT_DOUBLE_EQ(other[0].distance, 2);
    EXPECT_TRUE(std::isnan(other[0].cosine));
    EXPECT_TRUE(neighboursOf(**embeddings, 1000, 3).empty());
    EXPECT_TRUE(tableOfRun(folder_ / "nowhere").checkpoint.empty());
}

TEST_F(TokenToolsTest, ATableOfAnotherSizeIsRefused) {
    std::ofstream(tokenizer() / "vocab.tsv", std::ios::app) << "999\tmore\t1\n";
    const auto embeddings = embeddingsOf(tableOfRun(run()), tokenizer());
    ASSERT_FALSE(embeddings);
    EXPECT_EQ(embeddings.error().code, "curve.vocabulary");
}

TEST_F(TokenToolsTest, TypingShowsTheTokensAndASelectedTokenItsNeighbours) {
    TokenTools tools;
    QString hash;
    QObject::connect(&tools, &TokenTools::runTokenizerFound, [&](const QString& found) { hash = found; });
    auto* tokens = tools.findChild<QLabel*>("corpus.try_tokens");
    auto* box = tools.findChild<QLineEdit*>("corpus.try");
    auto* near = tools.findChild<QTableWidget*>("corpus.near");
    tools.setTokenizer(tokenizer());
    tools.suggest("the house");
    ASSERT_TRUE(test::waitFor([&] { return tokens->text().contains("2 tokens, 0 unknown"); }));
    box->setText("the cat");
    box->setModified(true);
    ASSERT_TRUE(test::waitFor([&] { return tokens->text().contains("1 unknown"); }));
    tools.suggest("in the house");
    EXPECT_EQ(box->text(), "the cat") << "what was typed stays";
    tools.showNeighbours(5, "the");
    EXPECT_EQ(near->rowCount(), 0) << "no run is chosen";
    tools.setRun("toy", run());
    ASSERT_TRUE(test::waitFor([&] { return near->rowCount() > 0; }));
    EXPECT_EQ(near->item(0, 2)->text(), "1");
    EXPECT_EQ(hash.toStdString(), words_->hash());
    tools.setRun("bare", folder_ / "nowhere");
    ASSERT_TRUE(test::waitFor(
        [&] { return tools.findChild<QLabel*>("corpus.near_title")->text().contains("no checkpoint yet"); }));
    EXPECT_EQ(near->rowCount(), 0);
}

TEST_F(TokenToolsTest, ATableThatIsReadAfterAnotherRunWasChosenIsNotItsTable) {
    // The last token lies 2 from the first one in "toy", 1 in "other".
    const fs::path other = folder_ / "other", step = "checkpoints/step-00000100";
    fs::create_directories(other / "checkpoints");
    fs::copy(run() / step, other / step, fs::copy_options::recursive);
    TokenTools tools;
    QObject::connect(
        &tools, &TokenTools::runTokenizerFound, &tools,
        [&] {
            // The search that follows the signal has begun to read the table when this is called.
            QMetaObject::invokeMethod(
                &tools,
                [&] {
                    QThreadPool::globalInstance()->waitForDone();
                    tools.setRun("other", other);
                },
                Qt::QueuedConnection);
        },
        Qt::SingleShotConnection);
    tools.setTokenizer(tokenizer());
    tools.showNeighbours(words_->vocabularySize() - 1, "dog");
    tools.setRun("toy", run());
    auto* near = tools.findChild<QTableWidget*>("corpus.near");
    ASSERT_TRUE(test::waitFor([&] {
        return near->rowCount() > 0 &&
               tools.findChild<QLabel*>("corpus.near_title")->text().contains("in other,");
    }));
    EXPECT_EQ(near->item(0, 2)->text(), "1");
}

TEST_F(TokenToolsTest, APipeInPlaceOfAFileIsAnError) {
    const fs::path project = folder_ / "project", tokenizers = project / "data" / "tokenizers" / "abc";
    fs::create_directories(tokenizers);
    const auto pipeAt = [](const fs::path& file) {
        fs::remove(file);
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0) << file;
    };
    pipeAt(run() / "checkpoints/step-00000200/state.json");
    EXPECT_TRUE(tableOfRun(run()).tokenizer.isEmpty());
    pipeAt(tokenizers / "tokenizer.json");
    EXPECT_TRUE(tokenizerFolders(project).empty());
    pipeAt(tokenizers / "vocab.tsv");
    EXPECT_FALSE(browseVocabulary(tokenizers).problem.isEmpty());
    EXPECT_FALSE(embeddingsOf(tableOfRun(run()), tokenizers));
    pipeAt(project / "data/mine.train.tsv");
    EXPECT_FALSE(browseCorpus(project / "data/mine.train.tsv").problem.isEmpty());
    pipeAt(run() / "checkpoints/step-00000200/weights.safetensors");
    EXPECT_FALSE(embeddingsOf(tableOfRun(run()), tokenizer()));
}

}  // namespace
}  // namespace kurve::views
