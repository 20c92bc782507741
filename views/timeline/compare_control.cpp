#include "views/timeline/compare_control.h"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

CompareControl::CompareControl(const StudioContext& context, ImGuiWidget& canvas, QWidget* scope)
    : QWidget(scope), context_(context), canvas_(canvas), view_(canvas) {
    describe(this, "timeline.beside", tr("Compared traces"), {.role = "bar", .filled = true});
    addCommands(scope);
    build();
    hide();
    connect(context.selection, &Selection::referenceChanged, this, &CompareControl::referenceChanged);
    connect(context.selection, &Selection::linkChanged, this, [this] {
        link_->setCurrentIndex(static_cast<int>(context_.selection->linkBy()));
        update();
    });
    referenceChanged();
}

void CompareControl::addCommands(QWidget* scope) {
    const CommandGroup add(context_.commands, tr("Playhead"), scope, "timeline.");
    add("compare", tr("Compare with B"), Qt::Key_C, tr("Start or end the comparison with B in all views"),
        [this] { toggle(); });
    add("pin", tr("Pin trace as B"), Qt::Key_P, tr("Compare this trace with others"), [this] { pin(); });
    add("swap", tr("Swap A and B"), Qt::SHIFT | Qt::Key_C, tr("Show the pinned trace as A"),
        [this] { swap(); });
    add("link", tr("Link mode"), Qt::Key_L, tr("Link by step, by noise level or by fraction done"),
        [this] { linkBy((link_->currentIndex() + 1) % 3); });
}

void CompareControl::build() {
    auto* row = hboxIn(this, {}, {.margins = {space::kMedium, space::kTight}, .spacing = space::kSmall});
    // Each name has half of the bar.
    for (const auto& [letter, name] : {std::pair{"A", &nameA_}, std::pair{"B", &nameB_}}) {
        auto* bold = new QLabel(QStringLiteral("<b>%1</b>").arg(QLatin1String(letter)), this);
        *name = describe(new ElidedLabel("name", this),
                         QStringLiteral("timeline.beside.name") + QLatin1String(letter), {.shrinks = true});
        row->addWidget(bold);
        row->addWidget(*name, 1);
    }
    auto* caption = describe(new QLabel(tr("linked by"), this), {.role = "caption"});
    row->addWidget(caption);
    link_ = describe(new QComboBox(this), "timeline.link", tr("Link mode"),
                     tr("How a step of A selects the step of B (L)"));
    link_->addItems({tr("step"), tr("noise level"), tr("fraction done")});
    link_->setItemData(1, tr("Step of B with the nearest log-SNR or mask ratio"), Qt::ToolTipRole);
    link_->setItemData(2, tr("Step of B at the same fraction of its steps"), Qt::ToolTipRole);
    caption->setBuddy(link_);
    link_->setCurrentIndex(static_cast<int>(context_.selection->linkBy()));
    connect(link_, &QComboBox::currentIndexChanged, this, &CompareControl::linkBy);
    row->addWidget(link_);
    for (const auto& [id, text] : {std::pair{"swap", tr("Swap")}, std::pair{"compare", tr("End")}}) {
        const QAction* action = context_.commands->action(QLatin1String("timeline.") + QLatin1String(id));
        auto* button = describe(new QToolButton(this), QLatin1String("timeline.beside.") + QLatin1String(id),
                                action->text(), action->toolTip(), {.text = text, .role = "quiet"});
        connect(button, &QToolButton::clicked, action, &QAction::trigger);
        row->addWidget(button);
    }
}

void CompareControl::setModel(std::shared_ptr<const inspect::TimelineModel> a) {
    a_ = std::move(a);
    update();
}

void CompareControl::referenceChanged() {
    const auto trace = context_.selection->reference();
    const bool usable = trace != nullptr && trace->steps > 0 && trace->positions > 0;
    b_ = usable ? std::make_shared<const inspect::TimelineModel>(trace) : nullptr;
    if (trace != nullptr) ended_ = nullptr;
    update();
}

void CompareControl::update() {
    // A trace is not compared with itself.
    const bool on = a_ != nullptr && b_ != nullptr && &a_->trace() != &b_->trace();
    view_.set(on ? std::make_shared<const inspect::TraceComparison>(a_, b_, context_.selection->linkBy())
                 : nullptr);
    setVisible(on);
    if (on) {
        const auto [left, right] = inspect::distinguishingNames(a_->trace(), b_->trace());
        nameA_->setText(QString::fromStdString(left));
        nameB_->setText(QString::fromStdString(right));
    }
    canvas_.requestFrame();
    Q_EMIT changed();
}

void CompareControl::pin() {
    if (a_ == nullptr) return Q_EMIT statusMessage(tr("No trace is open; open one, then pin it."));
    context_.selection->setReference(context_.selection->trace());
    Q_EMIT statusMessage(tr("Pinned as B; open another trace to compare."));
}

/// B belongs to the window: the comparison starts and ends in all views.
void CompareControl::toggle() {
    const auto b = context_.selection->reference();
    if (b == nullptr && ended_ == nullptr) return pin();
    if (b != nullptr && b == context_.selection->trace())
        return Q_EMIT statusMessage(tr("This trace is pinned as B; open another one to compare."));
    if (b == nullptr) return context_.selection->setReference(ended_);
    ended_ = b;
    context_.selection->setReference(nullptr);
}

void CompareControl::swap() {
    const auto a = context_.selection->trace(), b = context_.selection->reference();
    if (a == nullptr || b == nullptr)
        return Q_EMIT statusMessage(tr("No trace is pinned; pin one as B (P)."));
    context_.selection->setReference(nullptr);
    context_.selection->setTrace(b);
    context_.selection->setReference(a);
}

void CompareControl::linkBy(int by) {
    if (by < 0 || by >= link_->count()) return;
    context_.selection->setLinkBy(static_cast<inspect::LinkBy>(by));
}

void CompareControl::marksChanged() {
    view_.marksChanged();
    canvas_.requestFrame();
}

TimelineIntent CompareControl::draw(const TimelineState& state) {
    TimelineIntent intent = view_.draw(state);
    if (intent.position >= a_->positions()) intent.position = -2;  // only B has it: the selection is A's
    return intent;
}

QString CompareControl::statement(int step) const {
    const inspect::TraceComparison* pair = view_.comparison();
    if (pair == nullptr) return {};
    return tr("Compared with B at its step %1: %2 of %3 positions differ.")
        .arg(pair->partner(step) + 1)
        .arg(pair->count(step))
        .arg(pair->positions());
}

}  // namespace kurve::views
