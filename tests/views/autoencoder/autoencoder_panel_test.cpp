#include "views/autoencoder/autoencoder_panel.h"
#include "tests/support/drawn_curves.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>

#include "core/config/field_spec.h"
#include "tests/support/studio_parts.h"
#include "views/autoencoder/chunk_list_model.h"
#include "views/autoencoder/latent_plane.h"
#include "views/common/chart/line_chart.h"
#include "views/common/form/number_control.h"
#include "views/common/services/inference.h"
#include "views/common/shell/empty_state.h"

namespace kurve::views {
namespace {

using nlohmann::json;

/// Chunks of two characters; of a text with "x" the second token of a chunk is wrong. Answers when it is
/// told.
struct FakeInference : Inference {
    void ask(InferenceRequest request, Done done, QObject*) override {
        requests.push_back(std::move(request));
        waiting.push_back(std::move(done));
    }
    static json textOf(const std::string& text) {
        json chunks = json::array();
        int right = 0, tokens = 0;
        for (std::size_t i = 0; i < text.size(); i += 2) {
            json ids = json::array(), shown = json::array(), decodedIds = json::array(),
                 decoded = json::array();
            for (std::size_t k = i; k < i + 2; ++k) {
                const bool pad = k >= text.size(), wrong = k % 2 == 1 && text.find('x') != std::string::npos;
                const std::string token = pad ? "<pad>" : std::string(1, text[k]);
                ids.push_back(pad ? 0 : text[k]);
                shown.push_back(token);
                decodedIds.push_back(wrong ? 1 : ids.back().get<int>());
                decoded.push_back(wrong ? "?" : token);
                tokens += !pad;
                right += !pad && !wrong;
            }
            chunks.push_back({{"ids", ids},
                              {"tokens", shown},
                              {"decoded_ids", decodedIds},
                              {"decoded_tokens", decoded},
                              {"mean", {static_cast<double>(i), 1.0}},
                              {"latent", {static_cast<double>(i), 1.5}},
                              {"sigma", 0.25}});
        }
        return {{"input", text}, {"tokens", tokens}, {"right", right}, {"chunks", chunks}};
    }
    /// Answers all that was asked.
    void answer() {
        for (std::size_t i = requests.size() - waiting.size(); !waiting.empty(); ++i) {
            const json body = requests[i].body;
            json made{{"texts", json::array()}};
            const json inputs = body["input"].is_array() ? body["input"] : json{body["input"]};
            for (const json& input : inputs) made["texts"].push_back(textOf(input));
            for (int step = 0; body.contains("between") && step < 9; ++step)
                made["between"].push_back({{"t", step / 8.0}, {"tokens", {"s" + std::to_string(step)}}});
            const Done done = std::exchange(waiting.front(), nullptr);
            waiting.erase(waiting.begin());
            done(made);
        }
    }
    [[nodiscard]] const json& last() const { return requests.back().body; }
    std::vector<InferenceRequest> requests;
    std::vector<Done> waiting;
};

class AutoencoderPanelTest : public test::StudioParts, public ::testing::Test {
protected:
    AutoencoderPanelTest() {
        Schema schema;
        schema.family = "chunky";
        schema.title = "Chunky";
        schema.provides = {kChunkAutoencoder};
        Schema other;
        other.family = "plain";
        engine_ = *EngineInfo::fromJson({{"families", {toJson(schema), toJson(other)}}});
    }
    void write(const std::string& run, const char* family, bool checkpoint) {
        auto writer = std::move(*store::RunWriter::open(runFolder(run)));
        for (const auto& [key, value] : {std::pair{"id", run.c_str()},
                                         {"name", run.c_str()},
                                         {"family", family},
                                         {"state", "completed"}})
            writer->set(key, value);
        for (const int noise : {30, 50, 70, 100})
            writer->scalar("valid_token_accuracy_noise_" + std::to_string(noise), 4, 0, 1 - noise / 200.0);
        store::CheckpointRow row;
        row.step = 4;
        row.path = store::RunFile("checkpoints/step-00000004");
        if (checkpoint) writer->checkpoint(row);
        EXPECT_TRUE(writer->flush());
    }
    void openPanel(const char* run) {
        write("good", "chunky", true);
        write("young", "chunky", false);
        write("other", "plain", true);
        open();
        context_.services->offer<Inference>(inference_);
        panel_ = std::make_unique<AutoencoderPanel>(context_);
        panel_->resize(1100, 800);
        panel_->show();
        selection_.setRuns({QLatin1String(run)});
    }
    template <class T>
    T* find(const char* name) {
        return panel_->findChild<T*>(QLatin1String(name));
    }
    bool asked(std::size_t count) {
        return test::waitFor([&] { return inference_.requests.size() >= count; });
    }
    /// Types a text, and answers until nothing more is asked.
    void type(const char* text) {
        auto* field = find<QLineEdit>("autoencoder.text");
        field->clear();
        QTest::keyClicks(field, QLatin1String(text));
        settle();
    }
    void settle() {
        ASSERT_TRUE(test::waitFor([&] { return !inference_.waiting.empty(); }));
        while (test::waitFor([&] { return !inference_.waiting.empty(); }, 150)) inference_.answer();
    }
    [[nodiscard]] QString label(const char* name) {
        auto* found = find<QLabel>(name);
        return found->isVisible() ? found->text() : QString();
    }
    [[nodiscard]] QString headline() {
        return panel_->findChild<EmptyState*>()->findChild<QLabel*>()->text();
    }

    FakeInference inference_;
    std::unique_ptr<AutoencoderPanel> panel_;
};

TEST_F(AutoencoderPanelTest, ShowsChunksTheirReconstructionAndWhatIsRight) {
    openPanel("good");
    ASSERT_TRUE(test::waitFor([&] { return find<QLineEdit>("autoencoder.text")->isVisible(); }));
    QAbstractItemModelTester tester(find<QListView>("autoencoder.chunks")->model(),
                                    QAbstractItemModelTester::FailureReportingMode::Fatal);
    type("abcdx");
    const auto& chunks = panel_->chunks().chunks();
    ASSERT_EQ(chunks.size(), 3U);
    EXPECT_EQ(chunkText(chunks[1]), "cd");
    EXPECT_EQ(chunkText(chunks[1], true), "c?");
    EXPECT_FALSE(chunks[2].tokens[1].counted) << "filling";
    EXPECT_EQ(panel_->chunks().index(0).data(Qt::AccessibleTextRole).toString(),
              "Chunk 1 (A): “ab”, reconstructed “a?”; 1 of 2 tokens right, mean σ 0.25");
    EXPECT_TRUE(label("autoencoder.result").contains("3 of 5 tokens right (60.0 %)"))
        << label("autoencoder.result").toStdString();
    EXPECT_EQ(inference_.requests[0].run, "good");
    EXPECT_EQ(inference_.requests[0].checkpoint, "last");
    EXPECT_EQ(inference_.requests[0].type, "reconstruct");
    type("ab");
    EXPECT_TRUE(label("autoencoder.result").contains("2 of 2 tokens right"));
}

TEST_F(AutoencoderPanelTest, AsksOneQuestionAtATimeAndEndsWithTheLast) {
    openPanel("good");
    type("abcd");
    inference_.requests.clear();
    auto* noise = find<QDoubleSpinBox>("autoencoder.noise");
    ASSERT_NE(noise, nullptr);
    for (const double value : {0.1, 0.2, 0.3, 1.2}) {
        noise->setValue(value);
        test::waitFor([] { return false; }, 80);
    }
    ASSERT_EQ(inference_.requests.size(), 1U) << "while the first is not answered";
    settle();
    EXPECT_EQ(inference_.requests.size(), 2U);
    EXPECT_EQ(inference_.last()["sampler"]["noise"], 1.2);
    EXPECT_EQ(inference_.last()["sampler"]["latent"], "mean");
    find<QSpinBox>("autoencoder.seed")->setValue(7);
    settle();
    EXPECT_EQ(inference_.last()["seed"], 7);
}

TEST_F(AutoencoderPanelTest, InterpolatesBetweenAClickAndAShiftClickAlsoByKeys) {
    openPanel("good");
    type("abcdefgh");
    auto* list = find<QListView>("autoencoder.chunks");
    const auto click = [&](int row, Qt::KeyboardModifiers keys) {
        QTest::mouseClick(list->viewport(), Qt::LeftButton, keys,
                          list->visualRect(panel_->chunks().index(row)).center());
    };
    click(3, Qt::NoModifier);
    EXPECT_EQ(find<QTableWidget>("autoencoder.between")->rowCount(), 0) << "of one chunk";
    click(1, Qt::ShiftModifier);
    settle();
    EXPECT_EQ(inference_.last()["between"], json({3, 1}));
    EXPECT_EQ(panel_->chunks().endName(3), "A");
    EXPECT_EQ(panel_->chunks().endName(1), "B");
    auto* between = find<QTableWidget>("autoencoder.between");
    ASSERT_EQ(between->rowCount(), 9);
    EXPECT_EQ(between->item(4, 0)->text(), "0.5");
    EXPECT_EQ(between->item(8, 1)->text(), "s8");
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Home);
    QTest::keyClick(list, Qt::Key_Right, Qt::ShiftModifier);
    settle();
    EXPECT_EQ(inference_.last()["between"], json({0, 1}));
}

TEST_F(AutoencoderPanelTest, AShorterTextIsNotAskedForChunksItLacks) {
    openPanel("good");
    type("abcdefgh");
    find<QListView>("autoencoder.chunks")->setCurrentIndex(panel_->chunks().index(3));
    inference_.requests.clear();
    type("abcdef");
    EXPECT_EQ(inference_.last()["between"], json({0, 1})) << "the first two, of every text";
    EXPECT_EQ(find<QTableWidget>("autoencoder.between")->rowCount(), 9);
    inference_.requests.clear();
    find<QListView>("autoencoder.chunks")->setCurrentIndex(panel_->chunks().index(1));
    panel_->plane().chunkChosen(2, true);
    settle();
    find<QLineEdit>("autoencoder.text")->setText("ab");  // at once, not by way of no text
    settle();
    for (const InferenceRequest& request : inference_.requests)
        if (request.body["input"].get<std::string>().size() < 3)
            EXPECT_FALSE(request.body.contains("between"));
    EXPECT_EQ(panel_->chunks().rowCount(), 1);
}

TEST_F(AutoencoderPanelTest, MarksTheNoiseInTheCurveOfTheTraining) {
    openPanel("good");
    type("abx");
    auto* chart = panel_->findChild<LineChart*>("autoencoder.accuracy");
    ASSERT_NE(chart, nullptr);
    const auto points = test::pointsOf(*chart, QStringLiteral("valid"));
    EXPECT_EQ(points.x, (std::vector{0.3, 0.5, 0.7, 1.0}));
    EXPECT_EQ(points.y, (std::vector{0.85, 0.75, 0.65, 0.5}));
}

TEST_F(AutoencoderPanelTest, SaysWhatIsWrong) {
    openPanel("good");
    type("abcd");
    find<QLineEdit>("autoencoder.text")->clear();
    EXPECT_TRUE(test::waitFor([&] { return label("autoencoder.problem").contains("empty"); }));
    EXPECT_FALSE(panel_->hasData());
    QTest::keyClicks(find<QLineEdit>("autoencoder.text"), "long");
    ASSERT_TRUE(test::waitFor([&] { return !inference_.waiting.empty(); }));
    std::exchange(inference_.waiting, {})
        .front()(requestError("sample.too_long", "the text has 900 tokens, the run's longest 144")
                     .fix("shorten it"));
    EXPECT_TRUE(label("autoencoder.problem").contains("900 tokens"))
        << label("autoencoder.problem").toStdString();
    EXPECT_EQ(panel_->chunks().rowCount(), 0);
    QTest::keyClicks(find<QLineEdit>("autoencoder.text"), "er");
    settle();
    EXPECT_TRUE(label("autoencoder.problem").isEmpty());
}

TEST_F(AutoencoderPanelTest, SaysWhatItIsForWithoutARunThatFits) {
    openPanel("other");
    EXPECT_TRUE(test::waitFor([&] { return headline() == "other is not an autoencoder of chunks"; }))
        << headline().toStdString();
    selection_.setRuns({QStringLiteral("young")});
    EXPECT_TRUE(test::waitFor([&] { return headline() == "No checkpoint yet"; })) << headline().toStdString();
    selection_.setRuns({});
    EXPECT_TRUE(test::waitFor([&] { return headline() == "No run selected"; }));
    EXPECT_TRUE(inference_.requests.empty());
    EXPECT_FALSE(panel_->hasData());
}

TEST_F(AutoencoderPanelTest, AnotherRunTakesNoAnswerOfTheOneBefore) {
    openPanel("good");
    type("abcd");
    find<QSpinBox>("autoencoder.seed")->setValue(9);
    ASSERT_TRUE(test::waitFor([&] { return !inference_.waiting.empty(); }));
    selection_.setRuns({QStringLiteral("young")});
    inference_.answer();
    EXPECT_FALSE(panel_->hasData());
}

TEST_F(AutoencoderPanelTest, KeepsTextNoiseAndSeed) {
    openPanel("good");
    type("abcd");
    find<QSpinBox>("autoencoder.seed")->setValue(5);
    find<QDoubleSpinBox>("autoencoder.noise")->setValue(0.7);
    AutoencoderPanel again(context_);
    again.restoreState(panel_->saveState());
    EXPECT_EQ(again.saveState(), panel_->saveState());
    EXPECT_EQ(again.findChild<QSpinBox*>("autoencoder.seed")->value(), 5);
    EXPECT_EQ(again.findChild<QDoubleSpinBox*>("autoencoder.noise")->value(), 0.7);
    EXPECT_EQ(again.findChild<QLineEdit*>("autoencoder.text")->text(), "abcd");
}

TEST_F(AutoencoderPanelTest, ControlsHaveAccessibleNames) {
    openPanel("good");
    type("abcd");
    for (const char* name :
         {"autoencoder.text", "autoencoder.noise", "autoencoder.seed", "autoencoder.checkpoint",
          "autoencoder.chunks", "autoencoder.between", "autoencoder.plane.refit"})
        EXPECT_FALSE(find<QWidget>(name)->accessibleName().isEmpty()) << name;
}

}  // namespace
}  // namespace kurve::views
