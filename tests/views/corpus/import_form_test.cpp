// The import form with answers as the engine gives them, and what files are taken for.
#include "views/corpus/import_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <fstream>
#include <optional>

#include "tests/support/gui_app.h"
#include "tests/support/wire_table.h"
#include "views/common/theme/theme.h"
#include "views/corpus/corpus_loader.h"

namespace kurve::views {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json splitRow(int pairs, double oov, double tooLong, int shared) {
    return {{"pairs", pairs},
            {"empty_sides", 2},
            {"too_long", 1},
            {"duplicates", 4},
            {"length", {{"p50", 9}, {"p95", 30}, {"max", 71}}},
            {"oov_rate", oov},
            {"truncated_rate", tooLong},
            {"unseen_word_rate", 0.125},
            {"train_valid_overlap", shared},
            {"source_lengths", {0, 3, 5}},
            {"target_lengths", {0, 8}},
            {"examples", {"/x/t.tsv:3: no source"}},
            {"preview", nlohmann::json::parse(R"([["the cat", "die Katze"]])")}};
}

nlohmann::json answer() {
    return {{"counted_in", "tokens"},
            {"max_length", 64},
            {"splits", {{"train", splitRow(1234, 0, 0.0123, 0)}, {"valid", splitRow(50, 0.025, 0, 7)}}},
            {"leak", {{"valid", {{"pairs", 7}, {"examples", {"A cat sat."}}}}}},
            {"left_out_as_leak", 0},
            {"problems", nlohmann::json::array()}};
}

class ImportFormTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        form_.emplace(root());
        form_->resize(1100, 900);
        form_->show();
        QObject::connect(&*form_, &ImportForm::checkRequested,
                         [this](const ImportRequest& request) { checks_ << request.checkWords(); });
        QObject::connect(&*form_, &ImportForm::importRequested,
                         [this](const ImportRequest& request) { imports_ << request.importWords(); });
        QObject::connect(&*form_, &ImportForm::cancelRequested, [this] { ++cancels_; });
    }
    fs::path root() const { return folder_.path().toStdString(); }
    QString write(const fs::path& file, const std::string& text) {
        fs::create_directories((root() / file).parent_path());
        std::ofstream(root() / file) << text;
        return QString::fromStdString((root() / file).string());
    }
    template <class Widget>
    Widget* child(const char* name) {
        auto* found = form_->findChild<Widget*>(QString::fromLatin1(name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }
    void fill() {
        form_->setRequest(requestFor({write("t.train.tsv", "a\tb\n"), write("t.valid.tsv", "c\td\n")}));
    }
    bool canImport() { return child<QPushButton>("import.import")->isEnabled(); }

    QTemporaryDir folder_;
    std::optional<ImportForm> form_;
    QList<QStringList> checks_, imports_;
    int cancels_ = 0;
};

TEST_F(ImportFormTest, JsonLinesAreACorpusIfTheyHaveBothSides) {
    const QString pairs = write("my.train.jsonl", "{\"src\": \"a\", \"trg\": \"b\"}\n");
    const QString log = write("log.jsonl", "{\"step\": 1, \"loss\": 0.5}\n");
    EXPECT_TRUE(isPairText({pairs}));
    EXPECT_FALSE(isPairText({log}));
    EXPECT_FALSE(isPairText({pairs, log}));
    const ImportRequest request = requestFor({pairs});
    EXPECT_EQ(request.kind, QStringLiteral("pairs"));
    EXPECT_EQ(request.name, QStringLiteral("my"));
    EXPECT_TRUE(request.train.target.isEmpty());
}

TEST_F(ImportFormTest, ChecksWhatItIsGivenAndImportsOnlyThen) {
    fill();
    ASSERT_EQ(checks_.size(), 1);
    EXPECT_THAT(checks_[0], Contains(QStringLiteral("--check")));
    EXPECT_EQ(checks_[0].mid(0, 3), (QStringList{"data", "import", "t"}));
    EXPECT_FALSE(canImport());
    form_->showFound(answer());
    ASSERT_TRUE(canImport());
    child<QCheckBox>("import.sameLanguage")->setChecked(true);
    EXPECT_TRUE(canImport());  // no number of the check depends on it
    child<QPushButton>("import.import")->click();
    ASSERT_EQ(imports_.size(), 1);
    EXPECT_THAT(imports_[0], Contains(QStringLiteral("--same-language")));
    EXPECT_THAT(imports_[0], Not(Contains(QStringLiteral("--check"))));
    EXPECT_FALSE(canImport());
}

TEST_F(ImportFormTest, ShowsTheNumbersTheLeakAndTheOddLines) {
    fill();
    form_->showFound(answer());
    auto* numbers = child<QTableWidget>("import.numbers");
    ASSERT_EQ(numbers->columnCount(), 2);
    const auto column = [&](int at) {
        QStringList cells;
        for (int row = 0; row < numbers->rowCount(); ++row) cells << numbers->item(row, at)->text();
        return cells;
    };
    EXPECT_EQ(column(0).mid(1), (QStringList{"3", "4", "9 / 30 / 71", "0 %", "1.23 %", "12.5 %", "0"}));
    EXPECT_EQ(column(1), (QStringList{"50", "3", "4", "9 / 30 / 71", "2.5 %", "0 %", "12.5 %", "7"}));
    EXPECT_THAT(child<QLabel>("import.leaks")->text().toStdString(),
                HasSubstr("Validation: 7 pairs with a sentence of train, for example “A cat sat.”"));
    EXPECT_THAT(child<QLabel>("import.odd")->text().toStdString(), HasSubstr("t.tsv:3: no source"));
    EXPECT_EQ(child<QTableWidget>("import.pairs")->item(1, 2)->text(), "die Katze");
    auto documents = answer();
    documents["kind"] = "documents";
    documents["leak"].clear();
    fill();
    form_->showFound(documents);
    EXPECT_EQ(child<QLabel>("import.leaks")->text(), "✓ No text of another split is in train as a whole.");
}

TEST_F(ImportFormTest, AnAnswerIsShownWhateverItHolds) {
    auto found = answer();
    found["problems"] = {{{"code", "tokenizer.vocabulary"},
                          {"message", "too many tokens"},
                          {"remedy", nullptr},
                          {"file", nullptr},
                          {"line", nullptr},
                          {"field", nullptr}}};
    for (const auto& damaged : test::damagedCopies(found)) {
        fill();
        form_->showFound(damaged);
        EXPECT_EQ(child<QPushButton>("import.check")->text(), "Check") << damaged;
    }
    fill();
    form_->showFound(found);
    EXPECT_EQ(child<QLabel>("import.tokenizer.error")->text(), "✕ too many tokens");
    EXPECT_EQ(child<QTableWidget>("import.pairs")->rowCount(), 2);
}

TEST_F(ImportFormTest, AnEditMakesTheCheckStaleAndAsksAgain) {
    fill();
    form_->showFound(answer());
    child<QSpinBox>("import.vocabulary")->setValue(900);
    EXPECT_FALSE(canImport());
    ASSERT_TRUE(test::waitFor([&] { return checks_.size() == 2; }));
    EXPECT_THAT(checks_[1], Contains(QStringLiteral("900")));
    child<QSpinBox>("import.maxLength")->setValue(40);  // while that check runs
    EXPECT_EQ(cancels_, 1);
    form_->showFound(answer());  // too late: of the settings before
    EXPECT_FALSE(canImport());
}

TEST_F(ImportFormTest, CancelEndsTheCheck) {
    fill();
    auto* button = child<QPushButton>("import.check");
    EXPECT_EQ(button->text(), "Cancel");
    button->click();
    EXPECT_EQ(cancels_, 1);
    EXPECT_EQ(button->text(), "Check");
    button->click();
    EXPECT_EQ(checks_.size(), 2);
}

TEST_F(ImportFormTest, ErrorsStandAtTheirFieldsWithARemedy) {
    fill();
    const QString valid = child<QLineEdit>("import.valid.source")->text();
    form_->showProblem(requestError("data.missing_column", "the line has 1 column")
                           .in(valid.toStdString(), 7)
                           .fix("separate the columns by one tab"));
    auto* label = child<QLabel>("import.valid.error");
    EXPECT_TRUE(label->isVisible());
    EXPECT_THAT(label->text().toStdString(),
                HasSubstr(":7: the line has 1 column; separate the columns by one tab"));
    EXPECT_FALSE(child<QLabel>("import.train.error")->isVisible());

    child<QPushButton>("import.check")->click();
    EXPECT_FALSE(label->isVisible());
    auto found = answer();
    found["problems"] = {{{"code", "tokenizer.vocabulary"},
                          {"message", "the training text cannot fill 2000 tokens"},
                          {"remedy", "use at most 61"}}};
    form_->showFound(found);
    EXPECT_THAT(child<QLabel>("import.tokenizer.error")->text().toStdString(), HasSubstr("use at most 61"));
}

TEST_F(ImportFormTest, ATakenNameMustBeReplacedKnowingly) {
    write("data/t.corpus.json", "{}");
    fill();
    form_->showFound(answer());
    EXPECT_FALSE(canImport());
    EXPECT_THAT(child<QLabel>("import.name.error")->text().toStdString(), HasSubstr("tick “Replace”"));
    child<QCheckBox>("import.replace")->setChecked(true);
    EXPECT_TRUE(canImport());
    child<QLineEdit>("import.name")->setText("no name");
    EXPECT_FALSE(canImport());
    EXPECT_EQ(checks_.size(), 1);  // the text is the same
}

TEST_F(ImportFormTest, TakesEveryKindOfData) {
    ImportRequest request = requestFor({write("lines.txt", "he went\n"), write("lines.de", "er ging\n")});
    EXPECT_EQ(request.kind, "pairs");
    EXPECT_EQ(requestFor({write("lines.txt", "he went\n")}).kind, "text");
    request.train.source = write("texts.txt", "he went. she came.\n");
    form_->setRequest(request);
    auto* kind = child<QComboBox>("import.kind");
    auto* target = child<QLineEdit>("import.train.target");
    EXPECT_TRUE(target->isVisible());
    kind->setCurrentIndex(1);
    EXPECT_THAT(form_->request().importWords().join(' ').toStdString(), HasSubstr("--kind text --train"));
    EXPECT_FALSE(form_->request().importWords().contains("--train-target"));
    EXPECT_FALSE(target->isVisible());
    EXPECT_FALSE(child<QCheckBox>("import.sameLanguage")->isVisible());
    kind->setCurrentIndex(2);
    EXPECT_THAT(form_->request().importWords().join(' ').toStdString(),
                HasSubstr("--kind documents --train"));
    kind->setCurrentIndex(3);
    EXPECT_THAT(form_->request().importWords().join(' ').toStdString(),
                HasSubstr("--kind documents --sentences --train"));
    kind->setCurrentIndex(0);
    EXPECT_TRUE(form_->request().importWords().contains("--train-target"));
}

TEST(ImportRequest, KnowsSplitsByTheirNames) {
    const ImportRequest request = requestFor({"/x/news.test.tsv", "/x/news.dev.tsv", "/x/news.train.tsv"});
    EXPECT_EQ(request.train.source, "/x/news.train.tsv");
    EXPECT_EQ(request.valid.source, "/x/news.dev.tsv");
    EXPECT_EQ(request.test.source, "/x/news.test.tsv");
    EXPECT_EQ(request.name, "news");
    EXPECT_EQ(request.importWords(),
              (QStringList{"data", "import", "news", "--train", "/x/news.train.tsv", "--valid",
                           "/x/news.dev.tsv", "--test", "/x/news.test.tsv"}));
}

TEST(ImportRequest, TwoTextFilesAreSourceAndTarget) {
    const ImportRequest request = requestFor({"/x/latest.en", "/x/latest.de"});
    EXPECT_EQ(request.train.source, "/x/latest.en");
    EXPECT_EQ(request.train.target, "/x/latest.de");
    EXPECT_EQ(request.name, "latest");
    EXPECT_EQ(request.importWords().mid(3),
              (QStringList{"--train", "/x/latest.en", "--train-target", "/x/latest.de", "--valid-pairs", "1",
                           "--test-pairs", "1"}));
}

TEST(ImportRequest, TellsTextFromLogs) {
    QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder.filePath(name).toStdString()) << text;
        return folder.filePath(name);
    };
    const QString pairs = write("pairs.tsv", "# from a book\nthe cat\tdie Katze\n12\t12\na dog\tein Hund\n");
    EXPECT_TRUE(isPairText({pairs}));
    EXPECT_TRUE(isPairText({pairs, write("valid.tsv", "a\tb\n")}));
    EXPECT_TRUE(isPairText({write("t.en", "a\n"), write("t.de", "b\n")}));
    EXPECT_FALSE(isPairText({write("alone.en", "a\n")}));
    EXPECT_FALSE(isPairText({write("log.tsv", "step\tloss\n1\t4\n")}));
    EXPECT_FALSE(isPairText({write("long.tsv", "metric\tstep\tvalue\nloss\t1\t4\n")}));
    EXPECT_FALSE(isPairText({write("numbers.tsv", "x\ty\n1\t4\n")}));
    EXPECT_FALSE(isPairText({pairs, write("log.csv", "step,loss\n1,4\n")}));
    EXPECT_FALSE(isPairText({write("a.bin", std::string("a\0b\n", 4)), pairs}));
    EXPECT_FALSE(isPairText({folder.path()}));
}

TEST(CorpusSettings, NameTheSplitsThatAreThere) {
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    fs::create_directories(root / "data");
    for (const char* name : {"a.train.tsv", "a.valid.tsv", "kd.train.tsv"})
        std::ofstream(root / "data" / name) << "a\tb\n";
    std::ofstream(root / "data/a.corpus.json") << R"({"same_language": true})";
    const auto settings = corpusSettings(root, "data/a.valid.tsv");
    EXPECT_EQ(settings["data.train"], "data/a.train.tsv");
    EXPECT_EQ(settings["data.valid"], "data/a.valid.tsv");
    EXPECT_EQ(settings["data.same_language"], "true");
    EXPECT_TRUE(settings.contains("data.test"));  // the last corpus' test pairs must not stay
    EXPECT_EQ(settings["data.test"], "");
    EXPECT_EQ(settings["data.prompts"], "");
    EXPECT_TRUE(corpusSettings(root, "data/kd.train.tsv").isEmpty());
}

}  // namespace
}  // namespace kurve::views
