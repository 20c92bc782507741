#include "views/timeline/what_if.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeWidget>
#include <fstream>

#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/temporary_folder.h"
#include "views/timeline/timeline_panel.h"
#include "views/timeline/what_if_menu.h"

namespace kurve::views {
namespace {

using trace::EditKind;

trace::Edit edit(EditKind kind, int step, int slot, std::int32_t token = 7) {
    return {kind, step, slot, false, token, "lay", {}};
}

std::shared_ptr<trace::Trace> sampleTrace() {
    return std::make_shared<trace::Trace>(test::syntheticTrace());
}

TEST(WhatIf, ANewEditReplacesTheOneItContradicts) {
    WhatIf whatIf;
    whatIf.setTrace(sampleTrace());
    EXPECT_EQ(whatIf.firstStep(), -1);
    whatIf.add(edit(EditKind::Force, 5, 2));
    whatIf.add(edit(EditKind::Pin, 5, 2, 9));
    ASSERT_EQ(whatIf.pending().size(), 1U);
    EXPECT_EQ(whatIf.pending()[0].kind, EditKind::Pin);
    whatIf.add(edit(EditKind::Ban, 5, 2, 11));
    whatIf.add(edit(EditKind::Noise, 3, 2));
    whatIf.add(edit(EditKind::Force, 5, 4));
    EXPECT_EQ(whatIf.pending().size(), 4U);
    EXPECT_EQ(whatIf.firstStep(), 3);
    whatIf.removeSlot(2);
    EXPECT_EQ(whatIf.pending().size(), 1U);
    whatIf.setTrace(sampleTrace());
    EXPECT_TRUE(whatIf.pending().empty());
}

TEST(WhatIf, AWordThatIsWrittenOnceIsChangedWhereItWasWritten) {
    const auto trace = sampleTrace();
    trace->meta["kind"] = "autoregressive";
    WhatIf whatIf;
    whatIf.setTrace(trace);
    whatIf.add(edit(EditKind::Force, 5, 2));
    EXPECT_EQ(whatIf.pending()[0].step, 1);
    whatIf.add(edit(EditKind::Ban, 1, 5));
    EXPECT_EQ(whatIf.pending()[1].step, 1) << "a later word waits for its step";
    EXPECT_EQ(whatIf.firstStep(), 1);
}

TEST(WhatIf, KnowsWhereABranchDiffersFromItsParent) {
    const auto parent = sampleTrace(), branch = sampleTrace();
    branch->tokens[branch->cell(branch->steps - 1, 3)] += 1;
    branch->tokens[branch->cell(4, 1)] += 1;
    branch->meta["branch_history"] = R"([{"kind":"force","step":4,"slot":1,"token":7}])";
    branch->meta["branch_step"] = "4";
    WhatIf whatIf;
    whatIf.setTrace(branch);
    EXPECT_EQ(whatIf.made().size(), 1U);
    EXPECT_EQ(whatIf.changedSlots(), 0);
    whatIf.setParent(parent);
    EXPECT_TRUE(whatIf.differs(4, 1));
    EXPECT_FALSE(whatIf.differs(4, 2));
    EXPECT_EQ(whatIf.changedSlots(), 1);
    whatIf.setParent(std::make_shared<trace::Trace>(test::syntheticTrace({.steps = 7})));
    EXPECT_FALSE(whatIf.differs(4, 1)) << "a trace of another size cannot be its parent";
    EXPECT_EQ(openingStep(*branch), 4);
    EXPECT_EQ(openingStep(*parent), parent->steps - 1);
}

TEST(WhatIf, OffersWhatTheRecordingSaysItCan) {
    const auto trace = sampleTrace();
    WhatIf whatIf;
    whatIf.setTrace(trace);
    EXPECT_TRUE(whatIf.can(EditKind::Noise));
    trace->meta["edits"] = "force,pin";
    EXPECT_TRUE(whatIf.can(EditKind::Pin));
    EXPECT_FALSE(whatIf.can(EditKind::Noise));
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

TEST_F(Branches, AreATreeFromWhicheverIsShown) {
    const auto root = write("a", "", ""), first = write("b", "a", "slot 2 := lay @4"),
               second = write("c", "a", "slot 3 := noise @1"), deep = write("d", "b", "slot 5 = and @9");
    write("e", "", "");
    std::ofstream(root.parent_path() / "broken.safetensors") << "no trace";
    for (const auto& shown : {root, first, second, deep}) {
        const BranchNode tree = branchTreeOf(shown);
        EXPECT_EQ(tree.file, root);
        EXPECT_EQ(tree.change, "and light");
        ASSERT_EQ(tree.children.size(), 2U);
        EXPECT_EQ(tree.children[0].change, "slot 2 := lay @4");
        EXPECT_EQ(tree.children[1].file, second);
        ASSERT_EQ(tree.children[0].children.size(), 1U);
        EXPECT_EQ(tree.children[0].children[0].file, deep);
    }
    std::filesystem::remove(root);
    EXPECT_EQ(branchTreeOf(deep).file, first) << "a parent that is gone leaves its branch as the root";
}

TEST_F(Branches, FilesThatLieAboutTheirParentsEndTheTree) {
    const auto a = write("a", "b", "x"), b = write("b", "a", "y");
    EXPECT_LE(branchTreeOf(a).children.size(), 1U);
    EXPECT_EQ(branchTreeOf(folder_ / "traces/none.safetensors").children.size(), 0U);
}

class WhatIfPanel : public Branches, protected test::ShownPanel<TimelinePanel> {
protected:
    WhatIfPanel() : ShownPanel(1200, 640) {
        QObject::connect(panel_.get(), &TimelinePanel::branchRequested,
                         [this](const auto&, int step, const QString& edits) {
                             step_ = step;
                             edits_ = *trace::editsFromText(edits.toStdString(), 0);
                         });
    }
    void open(const std::filesystem::path& file) {
        selection_.setTrace(std::make_shared<const trace::Trace>(*trace::readTrace(file)));
    }
    QMenu* menu() { return panel_->findChild<QMenu*>("timeline.what_if"); }
    QString line() { return panel_->findChild<QLabel*>("timeline.edits")->text(); }

    int step_ = -1;
    std::vector<trace::Edit> edits_;
};

TEST_F(WhatIfPanel, AMenuCollectsEditsAndRunsThemAsABranch) {
    open(write("a", "", ""));
    QString said;
    QObject::connect(panel_.get(), &Panel::statusMessage, [&](const QString& text) { said = text; });
    press("branch");
    EXPECT_EQ(step_, -1);
    EXPECT_TRUE(said.contains("Nothing would change"));
    playhead_.setDenoiseStep(6);
    selection_.setSlot(3);
    press("what_if");
    ASSERT_NE(menu(), nullptr);
    menu()->actions().at(2)->trigger();  // after the heading and its line: pin what it is
    EXPECT_TRUE(line().contains("slot 3 = ")) << line().toStdString();
    EXPECT_TRUE(line().contains("@7"));
    press("branch");
    EXPECT_EQ(step_, 6);
    ASSERT_EQ(edits_.size(), 1U);
    EXPECT_EQ(edits_[0].kind, EditKind::Pin);
    EXPECT_EQ(edits_[0].token,
              static_cast<std::int32_t>(selection_.trace()->tokens[selection_.trace()->cell(6, 3)]));
    press("drop_edits");
    step_ = -1;
    press("branch");
    EXPECT_EQ(step_, -1);
}

TEST_F(WhatIfPanel, AnyWordCanBeTyped) {
    open(write("a", "", ""));
    selection_.setSlot(1);
    press("what_if");
    auto* field = menu()->findChild<QLineEdit*>("timeline.what_if.word");
    ASSERT_NE(field, nullptr);
    field->setText("lay");
    Q_EMIT field->returnPressed();
    press("branch");
    ASSERT_EQ(edits_.size(), 1U);
    EXPECT_EQ(edits_[0].text, "lay");
    EXPECT_EQ(edits_[0].token, -1) << "the engine knows the vocabulary";
}

TEST_F(WhatIfPanel, ABranchOpensWhereItLeavesItsParentAndShowsItsTree) {
    const auto root = write("a", "", ""), branch = write("b", "a", "slot 2 := lay @4");
    open(root);
    auto* tree = panel_->findChild<QTreeWidget*>("timeline.branches");
    EXPECT_TRUE(tree->isHidden());
    open(branch);
    EXPECT_EQ(playhead_.denoiseStep(), 3);
    EXPECT_FALSE(tree->isHidden());
    ASSERT_TRUE(test::waitFor([&] { return line().contains("1 word"); })) << line().toStdString();
    ASSERT_TRUE(test::waitFor([&] { return tree->topLevelItemCount() == 1; }));
    QString wanted;
    QObject::connect(panel_.get(), &TimelinePanel::traceWanted, [&](const QString& file) { wanted = file; });
    Q_EMIT tree->itemClicked(tree->topLevelItem(0)->child(0), 0);
    EXPECT_EQ(wanted, "") << "it is shown already";
    Q_EMIT tree->itemClicked(tree->topLevelItem(0), 0);
    EXPECT_EQ(wanted.toStdString(), root.string());
    press("branches");
    EXPECT_TRUE(tree->isHidden());
}

}  // namespace
}  // namespace kurve::views
