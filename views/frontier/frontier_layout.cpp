// Layout of the plane: the axes above it, the point's texts below, the sweep beside it.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "views/common/chart/view_picture.h"
#include "views/common/form/control_column.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/theme/theme.h"
#include "views/frontier/frontier_panel.h"
#include "views/frontier/point_details.h"
#include "views/frontier/point_table.h"
#include "views/frontier/slice_table.h"

namespace kurve::views {

QLayout* FrontierPanel::buildAxes() {
    quality_->setObjectName(QStringLiteral("frontier.quality"));
    quality_->setAccessibleName(tr("Quality, vertical axis"));
    diversity_->setObjectName(QStringLiteral("frontier.diversity"));
    diversity_->setAccessibleName(tr("Diversity, horizontal axis"));
    lasso_ = new QPushButton(tr("Lasso"));
    lasso_->setObjectName(QStringLiteral("frontier.lasso"));
    lasso_->setCheckable(true);
    lasso_->setProperty("role", "quiet");
    lasso_->setToolTip(tr("Drag around points to select them (L; also Shift+drag, Ctrl+click)"));
    auto* axes = new WrapLayout;
    axes->addWidget(new QLabel(tr("Quality")));
    axes->addWidget(quality_);
    axes->addWidget(new QLabel(tr("against diversity")));
    axes->addWidget(diversity_);
    axes->addStretch();
    inReport_ = new QPushButton(tr("Add to report"));
    inReport_->setObjectName(QStringLiteral("frontier.report"));
    inReport_->setCheckable(true);
    inReport_->setProperty("role", "quiet");
    inReport_->setToolTip(tr("Include this plane in the report (default: the plane that most points have)"));
    connect(inReport_, &QPushButton::clicked, this, &FrontierPanel::toggleInReport);
    axes->addWidget(inReport_);
    axes->addWidget(lasso_);
    leaveOutOfFigures(*axes);  // the plot has its titles
    return axes;
}

QWidget* FrontierPanel::buildPlane() {
    note_->setProperty("role", "caption");
    note_->setWordWrap(true);
    note_->setObjectName(QStringLiteral("frontier.note"));
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(chart_);
    split->addWidget(details_);
    split->setSizes({px(440), px(220)});
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    auto* full = new QWidget;
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    column->setSpacing(px(space::kTight));
    column->addLayout(buildAxes());
    column->addWidget(note_);
    column->addWidget(split, 1);
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
    auto* card = new QFrame;
    card->setProperty("role", "card");
    card->setAccessibleName(tr("Quality against diversity"));  // exported without the form
    stack_ = new QStackedLayout(card);
    stack_->addWidget(empty);
    stack_->addWidget(full);
    return card;
}

QWidget* FrontierPanel::buildSide() {
    auto* inside = new QWidget;
    inside->setProperty("role", "surface");
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(px(space::kMedium), px(space::kMedium), px(space::kMedium),
                               px(space::kMedium));
    column->setSpacing(px(space::kLarge));
    corner_->setProperty("role", "caption");
    corner_->setObjectName(QStringLiteral("frontier.corner"));
    corner_->setWordWrap(true);
    column->addWidget(form_);
    for (QWidget* part : {static_cast<QWidget*>(slice_), static_cast<QWidget*>(level_),
                          static_cast<QWidget*>(fronts_), static_cast<QWidget*>(corner_)})
        column->addWidget(part);
    column->addStretch(1);
    return new ControlColumn(inside, px(320));
}

}  // namespace kurve::views
