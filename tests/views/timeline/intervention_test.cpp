#include "core/inspect/intervention.h"
#include "tests/support/fake_services.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTreeWidget>
#include <fstream>

#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_declarations.h"
#include "views/timeline/intervention_menu.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::views {
namespace {

using trace::EditKind;

trace::Edit edit(EditKind kind, int step, int position, std::int32_t token = 7) {
    return {kind, step, position, false, token, "lay", {}};
}

std::shared_ptr<trace::Trace> sampleTrace() {
    return std::make_shared<trace::Trace>(test::syntheticTrace());
}

TEST(Intervention, ANewEditReplacesAConflictingOne) {
    inspect::Intervention intervention;
    intervention.setTrace(sampleTrace());
    EXPECT_EQ(intervention.firstStep(), -1);
    intervention.add(edit(EditKind::Force, 5, 2));
    intervention.add(edit(EditKind::Pin, 5, 2, 9));
    ASSERT_EQ(intervention.pending().size(), 1U);
    EXPECT_EQ(intervention.pending()[0].kind, EditKind::Pin);
    intervention.add(edit(EditKind::Ban, 5, 2, 11));
    intervention.add(edit(EditKind::Noise, 3, 2));
    intervention.add(edit(EditKind::Force, 5, 4));
    EXPECT_EQ(intervention.pending().size(), 4U);
    EXPECT_EQ(intervention.firstStep(), 3);
    intervention.removePosition(2);
    EXPECT_EQ(intervention.pending().size(), 1U);
    intervention.setTrace(sampleTrace());
    EXPECT_TRUE(intervention.pending().empty());
}

TEST(Intervention, AnEditOfAnAutoregressiveTokenActsAtItsStep) {
    const auto trace = sampleTrace();
    test::declareOrder(*trace);
    for (std::int32_t& position : trace->outer) ++position;  // <s> is given
    inspect::Intervention intervention;
    intervention.setTrace(trace);
    intervention.add(edit(EditKind::Force, 5, 2));
    EXPECT_EQ(intervention.pending()[0].step, 1);
    intervention.add(edit(EditKind::Ban, 1, 5));
    EXPECT_EQ(intervention.pending()[1].step, 1) << "a later token keeps its step";
    EXPECT_EQ(intervention.firstStep(), 1);
}

TEST(Intervention, AStepMayWriteSeveralTokensAfterAPrefix) {
    const auto trace = sampleTrace();
    test::declareOrder(*trace);
    trace->outer.clear();  // <s> and a word are given; each step writes two tokens
    for (int step = 0; step < trace->steps; ++step) trace->outer.push_back(2 + 2 * step);
    inspect::Intervention intervention;
    intervention.setTrace(trace);
    for (const auto& [position, step] : {std::pair(2, 0), {3, 0}, {4, 1}, {5, 1}, {6, 2}}) {
        intervention.add(edit(EditKind::Force, 5, position));
        EXPECT_EQ(intervention.pending().back().step, step) << position;
    }
}

TEST(Intervention, FindsDifferencesToTheParent) {
    const auto parent = sampleTrace(), branch = sampleTrace();
    branch->tokens[branch->cell(branch->steps - 1, 3)] += 1;
    branch->tokens[branch->cell(4, 1)] += 1;
    branch->meta["branch_history"] = R"([{"kind":"force","step":4,"position":1,"token":7}])";
    branch->meta["branch_step"] = "4";
    inspect::Intervention intervention;
    intervention.setTrace(branch);
    EXPECT_EQ(intervention.made().size(), 1U);
    EXPECT_EQ(intervention.changedPositions(), 0);
    intervention.setParent(parent);
    EXPECT_TRUE(intervention.differs(4, 1));
    EXPECT_FALSE(intervention.differs(4, 2));
    EXPECT_EQ(intervention.changedPositions(), 1);
    intervention.setParent(std::make_shared<trace::Trace>(test::syntheticTrace({.steps = 7})));
    EXPECT_FALSE(intervention.differs(4, 1)) << "a trace of another size is not its parent";
    EXPECT_EQ(inspect::openingStep(*branch), 4);
    EXPECT_EQ(inspect::openingStep(*parent), parent->steps - 1);
}

TEST(Intervention, ALongerBranchOfAnOrderedTextDiffersOnlyInItsTokens) {
    const auto parent = sampleTrace();
    test::declareOrder(*parent);
    const auto branch = std::make_shared<trace::Trace>(*parent);
    ++branch->steps;  // it writes on: the tokens so far, of which one is another
    const auto last = std::vector(parent->tokens.end() - parent->positions, parent->tokens.end());
    branch->tokens.insert(branch->tokens.end(), last.begin(), last.end());
    branch->tokens[branch->cell(branch->steps - 1, 3)] += 1;
    inspect::Intervention intervention;
    intervention.setTrace(branch);
    intervention.setParent(parent);
    EXPECT_EQ(intervention.changedPositions(), 1);
    EXPECT_TRUE(intervention.differs(parent->steps, 3));
    EXPECT_FALSE(intervention.differs(parent->steps, 2)) << "as the parent ended";
}

TEST(Intervention, OffersTheEditsThatTheTraceSupports) {
    const auto trace = sampleTrace();
    inspect::Intervention intervention;
    intervention.setTrace(trace);
    EXPECT_TRUE(intervention.supports(EditKind::Noise));
    trace->meta["edits"] = "force,pin";
    EXPECT_TRUE(intervention.supports(EditKind::Pin));
    EXPECT_FALSE(intervention.supports(EditKind::Noise));
}

class Branches : public ::testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& parent,
                                const std::string& change) {
        auto trace = test::syntheticTrace();
        trace.meta["prompt"] = "and light";
        if (!parent.empty()) trace.meta["branch_parent"] = "traces/" + parent + ".safetensors";
        if (!change.empty()) {
            trace.meta["branch_change"] = change;
            trace.meta["branch_step"] = "3";
            trace.tokens[trace.cell(trace.steps - 1, 2)] += 1;
        }
        const auto file = std::filesystem::path(folder_ / "traces") / (name + ".safetensors");
        std::filesystem::create_directories(file.parent_path());
        EXPECT_TRUE(trace::writeTrace(file, trace));
        return file;
    }
    kurve::testing::TemporaryFolder folder_;
};

TEST_F(Branches, AreTheSameTreeFromEveryTrace) {
    const auto root = write("a", "", ""), first = write("b", "a", "position 2 := lay @4"),
               second = write("c", "a", "position 3 := noise @1"),
               deep = write("d", "b", "position 5 = and @9");
    write("e", "", "");
    std::ofstream(root.parent_path() / "broken.safetensors") << "not a trace";
    for (const auto& shown : {root, first, second, deep}) {
        const inspect::BranchNode tree = inspect::branchTreeOf(shown);
        EXPECT_EQ(tree.file, root);
        EXPECT_EQ(tree.change, "and light");
        ASSERT_EQ(tree.children.size(), 2U);
        EXPECT_EQ(tree.children[0].change, "position 2 := lay @4");
        EXPECT_EQ(tree.children[1].file, second);
        ASSERT_EQ(tree.children[0].children.size(), 1U);
        EXPECT_EQ(tree.children[0].children[0].file, deep);
    }
    std::filesystem::remove(root);
    EXPECT_EQ(inspect::branchTreeOf(deep).file, first) << "the branch of a deleted parent is a root";
}

TEST_F(Branches, ACycleOfParentsEndsTheTree) {
    const auto a = write("a", "b", "x"), b = write("b", "a", "y");
    EXPECT_LE(inspect::branchTreeOf(a).children.size(), 1U);
    EXPECT_EQ(inspect::branchTreeOf(folder_ / "traces/none.safetensors").children.size(), 0U);
}

class InterventionPanel : public Branches, protected test::ShownPanel<TimelinePanel> {
protected:
    InterventionPanel() : ShownPanel(1200, 640) { services_.offerTo(context_); }
    [[nodiscard]] std::vector<trace::Edit> edits() const {
        return *trace::editsFromText(services_.prompts.branches.value(0).toStdString(), 0);
    }
    void open(const std::filesystem::path& file) {
        selection_.setTrace(std::make_shared<const trace::Trace>(*trace::readTrace(file)));
    }
    void run(const char* command) {
        commands_.action(QLatin1String("intervention.") + QLatin1String(command))->trigger();
    }
    QMenu* menu() { return panel_->findChild<QMenu*>("intervention.menu"); }
    QString line() { return panel_->findChild<QLabel*>("intervention.edits")->text(); }

    test::FakeServices services_;
    int& step_ = services_.prompts.branchStep;
};

TEST_F(InterventionPanel, TheMenuCollectsEditsAndRunsThemAsABranch) {
    open(write("a", "", ""));
    QString message;
    QObject::connect(panel_.get(), &Panel::statusMessage, [&](const QString& text) { message = text; });
    run("run");
    EXPECT_EQ(step_, -1);
    EXPECT_TRUE(message.contains("No edits are pending"));
    playhead_.setDenoiseStep(6);
    selection_.setPosition(3);
    run("menu");
    ASSERT_NE(menu(), nullptr);
    menu()->actions().at(2)->trigger();  // after the title and a separator: pin the current token
    EXPECT_TRUE(line().contains("position 3 = ")) << line().toStdString();
    EXPECT_TRUE(line().contains("@7"));
    run("run");
    EXPECT_EQ(step_, 6);
    ASSERT_EQ(edits().size(), 1U);
    EXPECT_EQ(edits()[0].kind, EditKind::Pin);
    EXPECT_EQ(edits()[0].token,
              static_cast<std::int32_t>(selection_.trace()->tokens[selection_.trace()->cell(6, 3)]));
    run("drop");
    step_ = -1;
    run("run");
    EXPECT_EQ(step_, -1);
}

TEST_F(InterventionPanel, AnyTokenCanBeTypedWhereTheVocabularyIsUnknown) {
    open(write("a", "", ""));
    selection_.setPosition(1);
    run("menu");
    auto* field = menu()->findChild<QLineEdit*>("intervention.token");
    ASSERT_NE(field, nullptr);
    field->setText("lay");
    Q_EMIT field->returnPressed();
    run("run");
    ASSERT_EQ(edits().size(), 1U);
    EXPECT_EQ(edits()[0].text, "lay");
    EXPECT_EQ(edits()[0].token, -1) << "resolved by the engine";
}

TEST(InterventionMenu, ATypedTokenMustBeInTheVocabulary) {
    test::guiApp();
    const auto trace = sampleTrace();
    const inspect::TimelineModel model(trace);
    inspect::Intervention intervention;
    intervention.setTrace(trace);
    intervention.setVocabulary({"lay", "light"});
    std::vector<trace::Edit> added;
    QWidget parent;
    auto* menu = new InterventionMenu(
        model, intervention, {3, 2}, [&](trace::Edit edit) { added.push_back(std::move(edit)); }, &parent);
    auto* field = menu->findChild<QLineEdit*>("intervention.token");
    auto* error = menu->findChild<QLabel*>("intervention.error");
    field->setText("li");
    EXPECT_EQ(error->text(), "") << "the beginning of a token";
    QTest::keyClick(field, Qt::Key_Return);
    field->setText("lix");
    EXPECT_EQ(error->text(), "Not in the vocabulary");
    EXPECT_TRUE(field->property("invalid").toBool());
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(added.empty());
    field->setText("light");
    EXPECT_FALSE(field->property("invalid").toBool());
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(added.size(), 1U);
    EXPECT_EQ(added[0].text, "light");
}

TEST_F(InterventionPanel, ABranchOpensAtItsFirstEditedStepAndShowsItsTree) {
    const auto root = write("a", "", ""), branch = write("b", "a", "position 2 := lay @4");
    open(root);
    auto* tree = panel_->findChild<QTreeWidget*>("intervention.branches");
    EXPECT_TRUE(tree->isHidden());
    open(branch);
    EXPECT_EQ(playhead_.denoiseStep(), 3);
    EXPECT_FALSE(tree->isHidden());
    ASSERT_TRUE(test::waitFor([&] { return line().contains("1 token"); })) << line().toStdString();
    ASSERT_TRUE(test::waitFor([&] { return tree->topLevelItemCount() == 1; }));
    const QStringList& selected = services_.opened;
    Q_EMIT tree->itemClicked(tree->topLevelItem(0)->child(0), 0);
    EXPECT_TRUE(selected.isEmpty()) << "already shown";
    Q_EMIT tree->itemClicked(tree->topLevelItem(0), 0);
    const QString folder = QString::fromStdString(root.parent_path().parent_path().filename().string());
    EXPECT_EQ(selected, QStringList{folder + " traces/a.safetensors"});
    run("branches");
    EXPECT_TRUE(tree->isHidden());
}

}  // namespace
}  // namespace kurve::views
