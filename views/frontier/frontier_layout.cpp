// Layout of the plane: the axes above it, the point's texts below, the sweep beside it.
#include <QLabel>
#include <QPushButton>

#include "views/common/chart/view_picture.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/theme/theme.h"
#include "views/frontier/frontier_panel.h"
#include "views/frontier/point_details.h"
#include "views/frontier/point_table.h"
#include "views/frontier/slice_table.h"

namespace kurve::views {

QLayout* FrontierPanel::buildAxes() {
    describe(quality_, "frontier.quality", tr("Quality, vertical axis"));
    describe(diversity_, "frontier.diversity", tr("Diversity, horizontal axis"));
    lasso_ = describe(new QPushButton(tr("Lasso")), "frontier.lasso", {},
                      tr("Drag around points to select them (L; also Shift+drag, Ctrl+click)"),
                      {.role = "quiet", .checkable = true});
    inReport_ = describe(new QPushButton(tr("Add to report")), "frontier.report", {},
                         tr("Include this plane in the report (default: the plane that most points have)"),
                         {.role = "quiet", .checkable = true});
    connect(inReport_, &QPushButton::clicked, this, &FrontierPanel::toggleInReport);
    auto* axes = wrapBox({new QLabel(tr("Quality")), quality_, new QLabel(tr("against diversity")),
                          diversity_, Stretch{}, inReport_, lasso_});
    leaveOutOfFigures(*axes);  // the plot has its titles
    return axes;
}

QWidget* FrontierPanel::buildPlane() {
    describe(note_, "frontier.note", {.role = "caption", .wraps = true});
    auto* split = splitBox(Qt::Vertical, {chart_, details_});
    split->setSizes({px(440), px(220)});
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    auto* full = new QWidget;
    vboxIn(full, {buildAxes(), note_, {split, 1}}, {.margins = space::kSmall, .spacing = space::kTight});
    auto* empty = new EmptyState;
    empty->setTexts(
        tr("No sweep yet"),
        tr("A sweep decodes the same sentences with every combination of the settings on the right and shows "
           "quality, diversity and time."),
        tr("Start sweep"));
    connect(empty, &EmptyState::clicked, this, [this] {
        const QString why = form_->refusal(SweepAction::Start);
        if (!why.isEmpty()) return Q_EMIT statusMessage(why);
        form_->carryOut(SweepAction::Start);
    });
    // Named: it is exported without the form.
    content_ =
        describe(new ContentOrEmpty(full, empty), {}, tr("Quality against diversity"), {.role = "card"});
    return content_;
}

QWidget* FrontierPanel::buildSide() {
    auto* inside = describe(new QWidget, {.role = "surface"});
    describe(corner_, "frontier.corner", {.role = "caption", .wraps = true});
    vboxIn(inside, {form_, slice_, level_, fronts_, corner_, Stretch{1}},
           {.margins = space::kMedium, .spacing = space::kLarge});
    return controlColumn(inside, 320);
}

}  // namespace kurve::views
