// The sentence curve's commands, layers and bar.
#include <QComboBox>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>
#include <QWidgetAction>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/saved_choice.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/linked_playhead.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/view_keys.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/theme/theme.h"
#include "views/curve/basis_form.h"
#include "views/curve/curve_panel.h"
#include "views/curve/layer_menu.h"

namespace kurve::views {
namespace {

constexpr ChoiceIds<3> kLayoutIds{"plane", "planes", "space"};  ///< in the order of CurveLayout

constexpr float kKeyRotation = 0.12F;

}  // namespace

void CurvePanel::addCommands() {
    const CommandGroup add(context().commands, tr("View"), this, "curve.");
    add("fit", tr("Fit curve"), Qt::Key_F, tr("Show the whole sentence curve"), [this] {
        view_.fit();
        repaintView();
    });
    add("plane", tr("Curve in the plane"), Qt::Key_1, tr("The first two axes"),
        [this] { setLayout(CurveLayout::Plane); });
    add("planes", tr("Curve in three planes"), Qt::Key_2, tr("All pairs of axes"),
        [this] { setLayout(CurveLayout::Planes); });
    add("space", tr("Curve in space"), Qt::Key_3,
        tr("All three axes; drag or use the arrow keys to rotate, Home to reset"),
        [this] { setLayout(view_.layout == CurveLayout::Space ? CurveLayout::Plane : CurveLayout::Space); });
    stacked_ = add("stacked", tr("Steps as third axis"), Qt::Key_Z,
                   tr("Use the denoising step as third axis, in space"), [this] {
                       view_.stacked = stacked_->isChecked();
                       if (view_.stacked) setLayout(CurveLayout::Space);
                       repaintView();
                       Q_EMIT stateChanged();
                   });
    stacked_->setCheckable(true);
    const auto rotate = [this](float yaw, float pitch) {
        return [this, yaw, pitch] {
            view_.camera().rotate(yaw, pitch);
            repaintView();
        };
    };
    add("turn_left", tr("Rotate left"), Qt::Key_Left, tr("Rotate the curve in space"),
        rotate(-kKeyRotation, 0));
    add("turn_right", tr("Rotate right"), Qt::Key_Right, tr("Rotate the curve in space"),
        rotate(kKeyRotation, 0));
    add("turn_up", tr("Tilt up"), Qt::Key_Up, tr("Tilt the curve in space"), rotate(0, -kKeyRotation));
    add("turn_down", tr("Tilt down"), Qt::Key_Down, tr("Tilt the curve in space"), rotate(0, kKeyRotation));
    add("turn_reset", tr("Reset rotation"), Qt::Key_Home, tr("Reset rotation and zoom"), [this] {
        view_.camera().resetRotation();
        view_.fit();
        repaintView();
    });
    lock_ = add("lock", tr("Lock basis"), Qt::Key_L,
                tr("Show other traces on the same axes, with the same camera"), [] {});
    lock_->setCheckable(true);
    add("refit", tr("Refit basis"), Qt::Key_R, tr("Fit the axes on this trace"), [this] { rebuild(); });
    pin_ = add("pin", tr("Pin as B"), Qt::Key_P,
               tr("Compare the next traces with this one, on the same axes"), [this] { pin(); });
    pin_->setCheckable(true);
    addControlCommands(add);
}

void CurvePanel::addControlCommands(const CommandGroup& add) {
    add("control_next", tr("Next control point"), Qt::Key_Period,
        tr("Select a control point, to move it by keys"), [this] { chooseControl(1); });
    add("control_previous", tr("Previous control point"), Qt::Key_Comma,
        tr("Select a control point, to move it by keys"), [this] { chooseControl(-1); });
    const auto move = [this, &add](const char* id, const QString& title, Qt::Key key, float right,
                                   float down) {
        add(id, title, Qt::CTRL | key, tr("Move the selected control points in the plane of the view"),
            [this, right, down] { nudge(right, down); });
    };
    move("nudge_left", tr("Move control point left"), Qt::Key_Left, -1, 0);
    move("nudge_right", tr("Move control point right"), Qt::Key_Right, 1, 0);
    move("nudge_up", tr("Move control point up"), Qt::Key_Up, 0, -1);
    move("nudge_down", tr("Move control point down"), Qt::Key_Down, 0, 1);
    add("branch", tr("Re-run from edited point"), Qt::Key_Return,
        tr("Denoise again from the moved control point, as a branch"), [this] { branch(); });
    add("restore", tr("Restore control point"), Qt::Key_Escape, tr("Discard the edit of the control points"),
        [this] { restore(); });
}

/// The playhead's step keys, also while this view is unlinked from the window's playhead.
void CurvePanel::addStepKeys() {
    auto* keys = new ViewKeys(this, tr("The sentence curve in the plane"));
    const CommandRegistry* commands = context().commands;
    const auto add = [&](const char* id, const QString& meaning, std::function<void()> press) {
        keys->add({{},
                   meaning,
                   std::move(press),
                   {},
                   // In space they rotate the curve.
                   [this] { return view_.model() != nullptr && view_.layout != CurveLayout::Space; },
                   [commands, id] {
                       const QAction* action =
                           commands->action(QLatin1String("timeline.") + QLatin1String(id));
                       return action != nullptr ? action->shortcuts() : QList<QKeySequence>();
                   }});
    };
    const auto follow = [&](const char* id, const QString& meaning, auto target) {
        add(id, meaning, [this, target] {
            const int now = context().playhead->denoiseStep(), last = view_.model()->steps() - 1;
            context().playhead->setDenoiseStep(std::clamp(target(now, last), 0, last));
        });
    };
    add("position_up", tr("Previous position"), [commands] { commands->trigger("timeline.position_up"); });
    add("position_down", tr("Next position"), [commands] { commands->trigger("timeline.position_down"); });
    follow("first", tr("First denoising step"), [](int, int) { return 0; });
    follow("back", tr("Previous denoising step"), [](int now, int) { return now - 1; });
    follow("forward", tr("Next denoising step"), [](int now, int) { return now + 1; });
    follow("last", tr("Last denoising step"), [](int, int last) { return last; });
    follow("back10", tr("Ten denoising steps back"), [](int now, int) { return now - 10; });
    follow("forward10", tr("Ten denoising steps forward"), [](int now, int) { return now + 10; });
}

void CurvePanel::addLayer(const char* id, const QString& text, const QString& help,
                          bool CurveLayers::*layer) {
    const QString name = QLatin1String("curve.") + QLatin1String(id);
    const CommandGroup add(context().commands, tr("View"), this, "curve.layer.");
    QAction* action = add(id, tr("Layer: %1").arg(text), {}, help, [] {});
    action->setCheckable(true);
    action->setChecked(view_.layers.*layer);
    action->setIconText(text);
    connect(action, &QAction::toggled, this, [this, layer](bool on) {
        view_.layers.*layer = on;
        repaintView();
        Q_EMIT stateChanged();
    });
    layers_->addLayer(action, name);
}

void CurvePanel::buildLayers() {
    layers_ = new LayerMenu(this);
    addLayer("targets", tr("Targets"), tr("Embeddings of the target tokens (rings)"), &CurveLayers::targets);
    addLayer("curve", tr("Curve"), tr("The curve through the sentence"), &CurveLayers::curve);
    addLayer("curves", tr("Other curves"), tr("All predicted curves with their weights"),
             &CurveLayers::curves);
    addLayer("words", tr("Tokens"), tr("Positions on the curve, labelled with their tokens"),
             &CurveLayers::words);
    addLayer("polygon", tr("Control points"), tr("Control points and their polygon"), &CurveLayers::polygon);
    addLayer("residuals", tr("Rounding"),
             tr("Lines from each position to its nearest token; their length is the rounding error"),
             &CurveLayers::residuals);
    addLayer("vocabulary", tr("Vocabulary"), tr("The 50 nearest tokens of each position"),
             &CurveLayers::vocabulary);
    addLayer("trails", tr("Trails"), tr("Path of each control point over all steps"), &CurveLayers::trails);
    addLayer("earlier", tr("Earlier steps"), tr("Previous steps, faint"), &CurveLayers::earlier);
    auto* count = describe(new QSpinBox, "curve.earlier.count", tr("Earlier steps shown"));
    count->setRange(1, 50);
    count->setValue(view_.earlierSteps);
    connect(count, &QSpinBox::valueChanged, this, [this](int steps) {
        view_.earlierSteps = steps;
        repaintView();
        Q_EMIT stateChanged();
    });
    layers_->addExtra(tr("number"), count);
}

QToolButton* CurvePanel::addButton(QWidget* bar, const char* id, const QString& text) {
    auto* button = new QToolButton(bar);
    QAction* action = context().commands->action(QLatin1String("curve.") + QLatin1String(id));
    action->setIconText(text);
    button->setDefaultAction(action);
    describe(button, QLatin1String("curve.") + QLatin1String(id), action->text(), {.role = "quiet"});
    bar->layout()->addWidget(button);
    return button;
}

QToolButton* CurvePanel::addMenu(QWidget* bar, const char* id, QMenu* menu, const QString& text) {
    auto* button =
        describe(new QToolButton(bar), QLatin1String("curve.") + QLatin1String(id), text, {.role = "quiet"});
    button->setText(text);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    bar->layout()->addWidget(button);
    return button;
}

void CurvePanel::buildBar(QWidget* bar) {
    auto* row = new WrapLayout(bar);
    row->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kMedium), px(space::kTight));
    row->setSpacing(px(space::kTight));
    addMenu(bar, "layers", layers_, tr("Layers"));
    addButton(bar, "plane", tr("Plane"));
    addButton(bar, "planes", tr("Three planes"));
    addButton(bar, "space", tr("3D"));
    addButton(bar, "stacked", tr("Steps as z"));
    curve_ = describe(new QComboBox(bar), "curve.which", tr("Displayed curve"));
    curve_->setVisible(false);
    connect(curve_, &QComboBox::activated, this, &CurvePanel::rebuild);
    row->addWidget(curve_);
    row->addStretch();
    basis_ = new BasisForm;
    auto* menu = new QMenu(this);
    auto* holder = new QWidgetAction(menu);
    holder->setDefaultWidget(basis_);
    menu->addAction(holder);
    basisButton_ = addMenu(bar, "basis", menu, tr("Basis: %1").arg(basis_->summary()));
    connect(basis_, &BasisForm::changed, this, &CurvePanel::rebuild);
    connect(basis_, &BasisForm::changed, this, &CurvePanel::stateChanged);
    connect(lock_, &QAction::toggled, this, &CurvePanel::stateChanged);
    addButton(bar, "lock", tr("Lock basis"));
    addButton(bar, "pin", tr("Pin as B"));
    addButton(bar, "fit", tr("Fit"));
    row->addWidget(linkButton(*this, context()));
    for (const char* id : {"plane", "planes", "space"})
        context().commands->action(QLatin1String("curve.") + QLatin1String(id))->setCheckable(true);
    setLayout(CurveLayout::Plane);
}

void CurvePanel::setLayout(CurveLayout layout) {
    const bool fresh = view_.layout != layout;
    view_.layout = layout;
    const auto show = [this](const char* id, bool on) {
        context().commands->action(QLatin1String("curve.") + QLatin1String(id))->setChecked(on);
    };
    show("plane", layout == CurveLayout::Plane);
    show("planes", layout == CurveLayout::Planes);
    show("space", layout == CurveLayout::Space);
    if (layout != CurveLayout::Space) {
        view_.stacked = false;
        stacked_->setChecked(false);
    }
    if (!fresh) return;
    setRotationKeys(layout == CurveLayout::Space);
    view_.fit();
    repaintView();
    Q_EMIT stateChanged();
}

QJsonObject CurvePanel::saveState() const {
    QJsonObject layers;
    for (const QAction* action : layers_->layers()) layers[action->objectName()] = action->isChecked();
    return {{QStringLiteral("layers"), layers},
            {QStringLiteral("earlier"), view_.earlierSteps},
            {QStringLiteral("layout"), savedChoice(kLayoutIds, static_cast<int>(view_.layout))},
            {QStringLiteral("stacked"), view_.stacked},
            {QStringLiteral("basis"), basis_->save()},
            {QStringLiteral("lock"), lock_->isChecked()}};
}

void CurvePanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QJsonObject layers = saved.value(QStringLiteral("layers")).toObject();
    for (QAction* action : layers_->layers())
        action->setChecked(layers.value(action->objectName()).toBool(action->isChecked()));
    if (auto* count = layers_->findChild<QSpinBox*>(QStringLiteral("curve.earlier.count")))
        count->setValue(saved.value(QStringLiteral("earlier")).toInt(view_.earlierSteps));
    setLayout(static_cast<CurveLayout>(choiceOf(kLayoutIds, saved.value(QStringLiteral("layout")))));
    view_.stacked = view_.layout == CurveLayout::Space && saved.value(QStringLiteral("stacked")).toBool();
    stacked_->setChecked(view_.stacked);
    lock_->setChecked(saved.value(QStringLiteral("lock")).toBool());
    basis_->restore(saved.value(QStringLiteral("basis")).toObject());
}

/// In space the arrow keys and Home rotate; else they are the playhead's (addStepKeys).
void CurvePanel::setRotationKeys(bool on) {
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("curve.turn")))
            context().commands->setRefusal(entry.command.id, on ? QString() : tr("Only in space (3)."));
}

void CurvePanel::showEvent(QShowEvent* event) {
    if (!adopted_) adoptPlayhead();
    Panel::showEvent(event);
}

/// The timeline's keys work here as well, except those with another meaning in this view. The timeline may be
/// created later than this view.
void CurvePanel::adoptPlayhead() {
    QList<QKeySequence> own;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("curve.")) && !entry.command.keys.isEmpty())
            own << entry.command.keys;
    for (const auto& entry : context().commands->entries())
        if ((entry.command.id.startsWith(QLatin1String("timeline.")) ||
             entry.command.id.startsWith(QLatin1String("intervention."))) &&
            !own.contains(entry.command.keys))
            addAction(entry.action);
    adopted_ = true;
}

}  // namespace kurve::views
