// The panel on the sample project's texts and on small folders of its own. KURVE_PICTURES=DIR keeps what it
// drew.
#include "views/corpus/corpus_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <algorithm>
#include <fstream>

#include "core/text/tokenizer.h"
#include "tests/support/fake_services.h"
#include "tests/support/gui_app.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/engine_info.h"
#include "views/common/services/engine.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/corpus/import_form.h"
#include "views/corpus/length_chart.h"

namespace kurve::views {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CorpusPanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(dark() ? ThemeMode::Dark : ThemeMode::Light, 1.0);
        write("project.toml", "name = \"Test\"\n");
    }
    static bool dark() { return qEnvironmentVariableIsSet("KURVE_DARK"); }
    fs::path root() const { return folder_.path().toStdString(); }
    void write(const fs::path& file, const std::string& text) {
        fs::create_directories((root() / file).parent_path());
        std::ofstream(root() / file) << text;
    }
    void open(const fs::path& project) {
        project_ = *store::Project::open(project);
        const StudioContext context{&*project_, &commands_, &playhead_, &selection_, nullptr, &engine_};
        services_.offerTo(context);
        context.services->offer<Engine>(engine_program_);
        panel_ = std::make_unique<CorpusPanel>(context);
        panel_->resize(1180, 760);
        panel_->show();
    }
    bool loaded() {
        return test::waitFor([&] { return panel_->hasData(); });
    }
    template <class Widget>
    Widget* child(const char* name) {
        return panel_->findChild<Widget*>(QString::fromLatin1(name));
    }
    void keepPicture(const QString& name) {
        QCoreApplication::processEvents();
        const QPixmap picture = panel_->grab();
        EXPECT_FALSE(picture.isNull());
        const QString folder = qEnvironmentVariable("KURVE_PICTURES");
        if (!folder.isEmpty()) picture.save(folder + QLatin1Char('/') + name);
    }

    struct : Engine {
        std::function<void()> call(const QStringList& asked, Done answer, QObject*) override {
            words = asked;
            done = std::move(answer);
            return [] {};
        }
        QStringList words;
        Done done;
    } engine_program_;
    test::FakeServices services_;
    QTemporaryDir folder_;
    EngineInfo engine_;
    CommandRegistry commands_;
    Playhead playhead_;
    Selection selection_;
    std::optional<store::Project> project_;
    std::unique_ptr<CorpusPanel> panel_;
};

TEST_F(CorpusPanelTest, SaysHowToImportText) {
    open(root());
    EXPECT_FALSE(panel_->hasData());
    keepPicture(QStringLiteral("corpus-empty.png"));
    bool found = false;
    for (auto* label : panel_->findChildren<QLabel*>()) found |= label->text().contains("kurve data import");
    EXPECT_TRUE(found);
}

TEST_F(CorpusPanelTest, ShowsTheSampleProject) {
    open(fs::path(KURVE_SOURCE_DIR) / "projects/sample");
    ASSERT_TRUE(loaded());
    EXPECT_THAT(panel_->statement().toStdString(), HasSubstr("pairs"));
    auto* vocabulary = child<QTableView>("corpus.vocabulary")->model();
    test::waitFor([&] { return vocabulary->rowCount() > 0; }, 2000);
    keepPicture(dark() ? QStringLiteral("corpus-dark.png") : QStringLiteral("corpus.png"));
}

TEST_F(CorpusPanelTest, CountsWordsAndFindsPairs) {
    write("data/t.train.tsv",
          "the cat\tThe cat sat.\na dog barked\tA dog barked.\na dog barked\tA dog barked.\n");
    open(root());
    ASSERT_TRUE(loaded());
    auto* model = child<QTableView>("corpus.pairs")->model();
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_EQ(model->rowCount(), 3);
    EXPECT_EQ(model->index(0, 3).data().toInt(), 2);
    EXPECT_EQ(model->index(0, 4).data().toInt(), 3);
    EXPECT_THAT(panel_->statement().toStdString(), HasSubstr("1 repeated"));
    child<QLineEdit>("corpus.search")->setText("SAT");
    EXPECT_TRUE(test::waitFor([&] { return model->rowCount() == 1; }));
    EXPECT_EQ(model->index(0, 1).data().toString(), "the cat");
}

TEST_F(CorpusPanelTest, APairCanBeTriedWithItsReference) {
    write("data/t.valid.tsv", "the cat\tThe cat sat.\na dog barked\tA dog barked.\n");
    open(root());
    ASSERT_TRUE(loaded());
    const QStringList& tried = services_.tried;
    auto* pairs = child<QTableView>("corpus.pairs");
    pairs->setCurrentIndex({});
    commands_.action("corpus.try")->trigger();
    EXPECT_TRUE(tried.isEmpty()) << "none is chosen";
    pairs->sortByColumn(0, Qt::DescendingOrder);
    pairs->setCurrentIndex(pairs->model()->index(0, 4));
    commands_.action("corpus.try")->trigger();
    EXPECT_EQ(tried, (QStringList{"a dog barked", "A dog barked."}));
}

TEST_F(CorpusPanelTest, GoesFromTheFormToTheImportedCorpusAndIntoTheDraft) {
    open(root());
    panel_->openImport({QString::fromStdString((root() / "elsewhere/my.train.tsv").string())});
    auto* form = panel_->findChild<ImportForm*>();
    ASSERT_TRUE(form->isVisible());
    write("data/my.train.tsv", "the cat\tdie Katze\n");  // as the engine does
    write("data/my.valid.tsv", "a dog\tein Hund\n");
    write("data/my.corpus.json", R"({"same_language": false})");
    ImportRequest request = form->request();
    request.name = "my";
    Q_EMIT form->importRequested(request);
    EXPECT_TRUE(engine_program_.words.contains("import")) << engine_program_.words.join(' ').toStdString();
    engine_program_.done(nlohmann::json::object());
    ASSERT_TRUE(loaded());
    EXPECT_FALSE(form->isVisible());
    EXPECT_EQ(child<QComboBox>("corpus.file")->currentText(), "my.train.tsv");
    child<QPushButton>("corpus.use")->click();
    auto& settings = services_.settings;
    EXPECT_EQ(settings["data.train"], "data/my.train.tsv");
    EXPECT_EQ(settings["data.same_language"], "false");
    EXPECT_EQ(settings["data.max_length"], "64");  // what it was checked with
}

TEST_F(CorpusPanelTest, NamesTheLineThatCannotBeRead) {
    write("data/bad.tsv", "a\tb\nonly one column\n");
    open(root());
    QLabel* problem = nullptr;
    ASSERT_TRUE(test::waitFor([&] {
        for (auto* label : panel_->findChildren<QLabel*>())
            if (label->text().contains("bad.tsv:2")) problem = label;
        return problem != nullptr;
    }));
    EXPECT_FALSE(panel_->hasData());
}

TEST_F(CorpusPanelTest, LengthsAreThoseOfWhatTheCorpusHolds) {
    for (const char* split : {"train", "valid"})
        write(std::string("data/d.") + split + ".txt", "he went\nshe came\n\nthe end\n");
    write("data/d.corpus.json", R"({"kind": "documents"})");
    open(root());
    ASSERT_TRUE(loaded());
    const auto charts = panel_->findChildren<LengthChart*>();  // the import has one too
    const auto chart = std::ranges::find_if(charts, [](const LengthChart* one) {
        return one->plot()->accessibleName() == "Document lengths in words";
    });
    ASSERT_NE(chart, charts.end());
    EXPECT_EQ((*chart)->plot()->xAxis->label(), "words per document");
    EXPECT_EQ((*chart)->plot()->yAxis->label(), "documents");
    for (const auto* label : (*chart)->findChildren<QLabel*>())
        EXPECT_FALSE(label->text().contains("source")) << "there is none";
    LengthChart pairs;
    pairs.resize(600, 300);
    (void)pairs.grab();  // lays it out
    pairs.setLengths({3}, {4});
    EXPECT_EQ(pairs.plot()->xAxis->label(), "words per sentence");
    const auto labels = pairs.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](auto* label) { return label->text().contains("source"); }));
}

TEST_F(CorpusPanelTest, ListsTokenizersAndSearchesTokens) {
    write("data/t.train.tsv", "a b\ta b\n");
    text::TokenizerSpec words;
    words.kind = "word";
    const std::vector<std::string> lines{"the ing the", "ing the"};
    ASSERT_TRUE(text::trainTokenizer(words, lines, fs::path(root()) / "data/tokenizers/0123456789ab"));
    open(root());
    EXPECT_EQ(child<QComboBox>("corpus.tokenizer")->currentText(), "word, 7 tokens (01234567)");
    auto* model = child<QTableView>("corpus.vocabulary")->model();
    QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(test::waitFor([&] { return model->rowCount() == 7; }));
    EXPECT_EQ(model->index(4, 3).data().toString(), "mask");
    child<QLineEdit>("corpus.tokens")->setText("ing");
    ASSERT_TRUE(test::waitFor([&] { return model->rowCount() == 1; }));
    EXPECT_EQ(model->index(0, 2).data().toLongLong(), 2);
}

TEST(CorpusFiles, PutTrainingFirstAndLeaveCachesOut) {
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    for (const char* file :
         {"data/a.valid.tsv", "data/b.train.tsv", "data/cache/x.tsv", "data/tokenizers/t/vocab.tsv",
          "data/more/c.train.tsv", "data/notes.txt", "data/d.test.txt"}) {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << "a\tb\n";
    }
    EXPECT_THAT(corpusFiles(root), ElementsAre("data/b.train.tsv", "data/more/c.train.tsv",
                                               "data/a.valid.tsv", "data/d.test.txt"));
}

TEST(CorpusFiles, TextsAreBrowsedAndSuggestedWithoutASource) {
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    fs::create_directories(root / "data");
    for (const char* split : {"train", "valid"})
        std::ofstream(root / "data" / (std::string("v.") + split + ".txt")) << "he went out\n\nthe end\n";
    const auto browsed = browseCorpus(root / "data/v.train.txt");
    EXPECT_TRUE(browsed.texts);
    EXPECT_THAT(browsed.targetWords, ElementsAre(3, 2));
    EXPECT_TRUE(browsed.sourceWords.empty());
    const auto settings = corpusSettings(root, "data/v.valid.txt");
    EXPECT_EQ(settings.value("data.kind"), "text");
    EXPECT_EQ(settings.value("data.train"), "data/v.train.txt");
}

TEST(CorpusFiles, DocumentsAreWhatTheImportCalledSo) {
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    fs::create_directories(root / "data");
    for (const char* split : {"train", "valid"})
        std::ofstream(root / "data" / (std::string("d.") + split + ".txt"))
            << "he went\nshe came\n\nthe end\n";
    std::ofstream(root / "data/d.corpus.json") << R"({"kind": "documents"})";
    const auto browsed = browseCorpus(root / "data/d.train.txt");
    EXPECT_TRUE(browsed.texts);
    EXPECT_TRUE(browsed.documents);
    EXPECT_EQ(browsed.corpus.report.pairs, 2);
    EXPECT_EQ(browsed.corpus.report.sentences, 3);
    EXPECT_THAT(browsed.targetWords, ElementsAre(4, 2));
    EXPECT_EQ(corpusSettings(root, "data/d.train.txt").value("data.kind"), "documents");
}

TEST(LengthHistogram, HasOneBarPerLengthWhileTheyFit) {
    const auto histogram = lengthHistogram({1, 2, 2, 5}, 5);
    EXPECT_EQ(histogram.width, 1);
    EXPECT_THAT(histogram.counts, ElementsAre(0, 1, 2, 0, 0, 1));
}

TEST(LengthHistogram, JoinsLengthsWhenThereAreMany) {
    const auto histogram = lengthHistogram({1, 600}, 600);
    EXPECT_EQ(histogram.width, 11);
    EXPECT_EQ(histogram.counts.front(), 1);
    EXPECT_EQ(histogram.counts.back(), 1);
}

}  // namespace
}  // namespace kurve::views
