#include "views/common/chart/chart_head.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/common/chart/chart_legend.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QToolButton* titleButton(const QString& id, const QString& text, const QString& tip) {
    auto* button = describe(new QToolButton, id, tip, tip, {.text = text, .role = "mini"});
    button->setFocusPolicy(Qt::TabFocus);
    leaveOutOfFigures(*button);
    return button;
}

}  // namespace

ChartHead::ChartHead(const QString& id, QWidget& card, QVBoxLayout& column)
    : QObject(&card),
      card_(card),
      title_(new ElidedLabel("title")),
      legend_(new ChartLegend),
      below_(hbox({}, {.margins = {space::kMedium, 0, space::kTight, 0}})),
      keys_(titleButton(id + QStringLiteral(".logx"), tr("X"),
                        tr("x axis: linear, logarithmic, symmetric logarithmic"))),
      values_(titleButton(id + QStringLiteral(".logy"), tr("Y"),
                          tr("y axis: linear, logarithmic, symmetric logarithmic"))),
      fit_(titleButton(id + QStringLiteral(".fit"), tr("Fit"), tr("Fit to data and follow new points"))) {
    row_ = hbox({title_, Gap{space::kSmall}, {legend_, 1}, Gap{space::kTight}, keys_, values_, fit_},
                {.margins = {space::kMedium, space::kTight, space::kTight, 0}, .spacing = 2});
    for (QToolButton* button : {keys_, values_}) button->setCheckable(true);
    connect(keys_, &QToolButton::clicked, this, &ChartHead::keyScaleClicked);
    connect(values_, &QToolButton::clicked, this, &ChartHead::valueScaleClicked);
    connect(fit_, &QToolButton::clicked, this, &ChartHead::fitClicked);
    column.addLayout(row_);
    column.addLayout(below_);
}

void ChartHead::setTitle(const QString& title, const QStringList& parts) {
    title_->setTexts(title, parts);
}

void ChartHead::setAbout(const QString& tip) {
    title_->setAbout(tip);
}

void ChartHead::setScales(AxisScale::Kind keys, AxisScale::Kind values) {
    using Kind = AxisScale::Kind;
    const auto name = [](QToolButton* button, const QString& axis, Kind scale) {
        button->setChecked(scale != Kind::Linear);
        button->setText(scale == Kind::Log      ? axis + tr(" log")
                        : scale == Kind::SymLog ? axis + tr(" ±log")
                                                : axis);
    };
    name(keys_, tr("X"), keys);
    name(values_, tr("Y"), values);
}

void ChartHead::showButtons(bool hovered, bool zoomed) {
    for (QToolButton* button : {keys_, values_}) button->setVisible(hovered || button->isChecked());
    fit_->setVisible(hovered || zoomed);
}

/// Curve names that do not fit beside the title go below it, and the card requests the height of that line;
/// a card with a minimum height of its own does so only if it is high enough.
void ChartHead::placeLegend() {
    constexpr double kEdges = 34, kLeastHeight = 120, kLegendLine = 16;
    constexpr const char* kOwnHeight = "ownMinimumHeight";  // while the card requests more
    const QVariant stored = card_.property(kOwnHeight);
    const int own = stored.isValid() ? stored.toInt() : card_.minimumHeight();
    int available = card_.width() - px(kEdges) - title_->sizeHint().width();
    for (const QToolButton* button : {keys_, values_})
        if (button->isChecked()) available -= button->sizeHint().width();
    const bool below = legend_->entries().size() > 1 && legend_->widthWithNames() > available &&
                       (own == 0 || card_.height() >= px(kLeastHeight));
    const int lines = legend_->entries().size() > 2 ? 2 : 1;
    card_.setProperty(kOwnHeight, below ? QVariant(own) : QVariant());
    const int least = below && own == 0 ? card_.minimumSizeHint().height() + px(kLegendLine * lines) : own;
    if (card_.minimumHeight() != least) card_.setMinimumHeight(least);
    if (below == (below_->count() > 0)) return;
    (below ? row_ : below_)->removeWidget(legend_);
    if (below)
        below_->addWidget(legend_);
    else
        row_->insertWidget(2, legend_, 1);
    row_->setStretch(0, below ? 1 : 0);
    legend_->setMostLines(below ? 2 : 1);
}

}  // namespace kurve::views
