// The similarity of the compared runs' words, from a project on disk.
#include "views/compare/compare_states.h"
#include "tests/support/drawn_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/support/studio_parts.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/chart/line_chart.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

trace::Trace makeTrace(const std::string& prompt, std::uint64_t seed) {
    trace::Trace out = test::syntheticTrace({.words = 6, .steps = 4, .seed = seed});
    out.meta["prompt"] = prompt;
    return out;
}

class CompareStatesTest : public ::testing::Test, protected test::StudioParts {
protected:
    CompareStatesTest() {
        writeRun("a", {{100, makeTrace("one", 1)}, {200, makeTrace("two", 2)}});
        writeRun("b", {{100, makeTrace("one", 3)}, {200, makeTrace("two", 4)}});
        writeRun("none", {});
    }
    void show() {
        states_ = std::make_unique<CompareStates>(open());
        states_->resize(900, 300);
        states_->show();
    }
    QStringList drawn() const { return test::curveIds(*states_->chart()->chart()); }
    std::string about() const {
        return states_->findChild<QLabel*>("compare.states.about")->text().toStdString();
    }
    void choose(const char* box, const QString& text) {
        auto* list = states_->findChild<QComboBox*>(QLatin1String(box));
        list->setCurrentText(text);
        ASSERT_EQ(list->currentText(), text);
        Q_EMIT list->activated(list->currentIndex());
    }
    std::unique_ptr<CompareStates> states_;
};

TEST_F(CompareStatesTest, ShowsARowOfEachRunOfOnePrompt) {
    show();
    states_->setRuns({"b", "none", "a"});
    ASSERT_TRUE(test::waitFor([&] { return drawn().size() == 2; }));
    const auto& rows = states_->chart()->strip()->rows();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].title, "run b") << "in the order of the columns";
    EXPECT_EQ(rows[1].title, "run a");
    EXPECT_FALSE(states_->chart()->strip()->isHidden()) << "colours at first";
    EXPECT_THAT(about(), HasSubstr("two")) << "of the newest traces";
    EXPECT_THAT(about(), HasSubstr("no trace: run none"));
    // The prompt that Inspect shows.
    selection_.setTrace(std::make_shared<trace::Trace>(makeTrace("one", 1)));
    EXPECT_TRUE(test::waitFor([&] { return about().find("one") != std::string::npos; }));
    // Hidden runs are in no chart.
    selection_.setHiddenRuns({"a"});
    EXPECT_THAT(drawn(), ElementsAre("b"));
    selection_.setHiddenRuns({});
    states_->setRuns({"a", "b"});
    ASSERT_TRUE(test::waitFor([&] { return drawn().size() == 2; }));
    EXPECT_THAT(about(), Not(HasSubstr("no trace")));
}

TEST_F(CompareStatesTest, TheCaptionHasThePromptOfInspect) {
    writeRun("odd", {{100, makeTrace("three", 5)}});
    show();
    selection_.setTrace(std::make_shared<trace::Trace>(makeTrace("one", 1)));
    states_->setRuns({"odd", "a", "b"});
    ASSERT_TRUE(test::waitFor([&] { return drawn().size() == 3; }));
    EXPECT_THAT(about(), HasSubstr("“one”"));
}

TEST_F(CompareStatesTest, StatisticLayerAndFormAreRestored) {
    show();
    states_->setRuns({"a", "b"});
    ASSERT_TRUE(test::waitFor([&] { return drawn().size() == 2; }));
    QSignalSpy changed(states_.get(), &CompareStates::choiceChanged);
    choose("compare.states.number", "Effective rank");
    EXPECT_THAT(states_->chart()->chart()->title().toStdString(), HasSubstr("Effective rank"));
    choose("compare.states.layer", "every layer");
    EXPECT_GT(drawn().size(), 2);
    states_->toggleColours();
    EXPECT_FALSE(states_->chart()->chart()->isHidden());
    EXPECT_EQ(changed.count(), 3);
    const QJsonObject saved = states_->save();
    CompareStates again(context_);
    again.restore(saved);
    again.setRuns({"a", "b"});
    again.show();
    ASSERT_TRUE(test::waitFor([&] { return test::curveIds(*again.chart()->chart()) == drawn(); }));
    EXPECT_EQ(again.save(), saved);
    EXPECT_THAT(again.chart()->chart()->title().toStdString(), HasSubstr("Effective rank"));
    EXPECT_FALSE(again.chart()->colours());
}

TEST_F(CompareStatesTest, WithoutTracesItLeadsToInspect) {
    show();
    states_->setRuns({"none"});
    auto* button = states_->findChild<QPushButton*>("compare.states.record");
    ASSERT_TRUE(test::waitFor([&] { return !button->isHidden(); }));
    QSignalSpy wanted(states_.get(), &CompareStates::inspectRequested);
    button->click();
    EXPECT_EQ(wanted.count(), 1);
}

TEST_F(CompareStatesTest, ReadsNothingWhileHidden) {
    states_ = std::make_unique<CompareStates>(open());
    states_->setRuns({"a", "b"});
    const WatchedRuns watched(catalog_.get(), {"a"});
    ASSERT_TRUE(test::waitFor([&] { return catalog_->data("a") != nullptr; }));
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    EXPECT_EQ(catalog_->data("b"), nullptr);
}

}  // namespace
}  // namespace kurve::views
