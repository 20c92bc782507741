// The sentence curve's commands, its layers with their eyes, and the bar above it.
#include <QComboBox>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>
#include <QWidgetAction>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/linked_playhead.h"
#include "views/common/playhead.h"
#include "views/common/theme.h"
#include "views/common/view_keys.h"
#include "views/common/wrap_layout.h"
#include "views/curve/basis_form.h"
#include "views/curve/curve_panel.h"
#include "views/curve/layer_menu.h"

namespace kurve::views {
namespace {

constexpr float kKeyTurn = 0.12F;

}  // namespace

QAction* CurvePanel::addCommand(const char* id, const QString& title, const QKeySequence& keys,
                                const QString& help, std::function<void()> run) {
    return context().commands->add(
        {QLatin1String("curve.") + QLatin1String(id), title, tr("View"), keys, help}, std::move(run), this);
}

void CurvePanel::addCommands() {
    addCommand("fit", tr("Fit the curve"), Qt::Key_F, tr("Show the whole sentence curve"), [this] {
        view_.fit();
        repaintView();
    });
    addCommand("plane", tr("Curve in the plane"), Qt::Key_1, tr("The first two axes"),
               [this] { setLayout(CurveLayout::Plane); });
    addCommand("planes", tr("Curve in three planes"), Qt::Key_2, tr("Every pair of axes beside the others"),
               [this] { setLayout(CurveLayout::Planes); });
    addCommand("space", tr("Curve in space"), Qt::Key_3,
               tr("All three axes: drag or use the arrow keys to turn, Home to turn back"), [this] {
                   setLayout(view_.layout == CurveLayout::Space ? CurveLayout::Plane : CurveLayout::Space);
               });
    stacked_ = addCommand("stacked", tr("Steps as third axis"), Qt::Key_Z,
                          tr("Denoising steps above each other, in space"), [this] {
                              view_.stacked = stacked_->isChecked();
                              if (view_.stacked) setLayout(CurveLayout::Space);
                              repaintView();
                              Q_EMIT choiceChanged();
                          });
    stacked_->setCheckable(true);
    const auto turn = [this](float yaw, float pitch) {
        return [this, yaw, pitch] {
            view_.camera().turn(yaw, pitch);
            repaintView();
        };
    };
    addCommand("turn_left", tr("Turn left"), Qt::Key_Left, tr("Turn the curve in space"), turn(-kKeyTurn, 0));
    addCommand("turn_right", tr("Turn right"), Qt::Key_Right, tr("Turn the curve in space"),
               turn(kKeyTurn, 0));
    addCommand("turn_up", tr("Tip up"), Qt::Key_Up, tr("Tip the curve in space"), turn(0, -kKeyTurn));
    addCommand("turn_down", tr("Tip down"), Qt::Key_Down, tr("Tip the curve in space"), turn(0, kKeyTurn));
    addCommand("turn_reset", tr("Turn back"), Qt::Key_Home, tr("The first view of the curve in space"),
               [this] {
                   view_.camera().resetTurn();
                   view_.fit();
                   repaintView();
               });
    lock_ = addCommand("lock", tr("Keep the basis"), Qt::Key_L,
                       tr("Show other recordings on the same axes, with the same camera"), [] {});
    lock_->setCheckable(true);
    addCommand("refit", tr("Fit the basis again"), Qt::Key_R,
               tr("With the present choice, on this recording"), [this] { rebuild(); });
    pin_ = addCommand("pin", tr("Pin as B"), Qt::Key_P,
                      tr("Keep this recording beside the next ones, on the same axes"), [this] { pin(); });
    pin_->setCheckable(true);
    addCommand("control_next", tr("Next control point"), Qt::Key_Period, tr("Choose it, to be moved by keys"),
               [this] { chooseControl(1); });
    addCommand("control_previous", tr("Control point before"), Qt::Key_Comma,
               tr("Choose it, to be moved by keys"), [this] { chooseControl(-1); });
    const auto move = [this](const char* id, const QString& title, Qt::Key key, float right, float down) {
        addCommand(id, title, Qt::CTRL | key, tr("Move the chosen control points in the plane of the view"),
                   [this, right, down] { nudge(right, down); });
    };
    move("nudge_left", tr("Control point to the left"), Qt::Key_Left, -1, 0);
    move("nudge_right", tr("Control point to the right"), Qt::Key_Right, 1, 0);
    move("nudge_up", tr("Control point up"), Qt::Key_Up, 0, -1);
    move("nudge_down", tr("Control point down"), Qt::Key_Down, 0, 1);
    addCommand("branch", tr("Denoise from the moved control point"), Qt::Key_Return,
               tr("What letting go of the mouse does"), [this] { branch(); });
    addCommand("restore", tr("Put the control point back"), Qt::Key_Escape,
               tr("Undo the dragging of a control point"), [this] { restore(); });
}

/// The playhead's step keys, whatever they are now: this view's step moves, also while it is not the
/// window's.
void CurvePanel::addStepKeys() {
    auto* keys = new ViewKeys(this, tr("The sentence curve in the plane"));
    const CommandRegistry* commands = context().commands;
    const auto follow = [&](const char* id, const QString& meaning, auto target) {
        keys->add({{},
                   meaning,
                   [this, target] {
                       const int now = context().playhead->denoiseStep(), last = view_.model()->steps() - 1;
                       context().playhead->setDenoiseStep(std::clamp(target(now, last), 0, last));
                   },
                   {},
                   // In space they turn the curve.
                   [this] { return view_.model() != nullptr && view_.layout != CurveLayout::Space; },
                   [commands, id] {
                       const QAction* action =
                           commands->action(QLatin1String("timeline.") + QLatin1String(id));
                       return action != nullptr ? action->shortcuts() : QList<QKeySequence>();
                   }});
    };
    follow("first", tr("The noisiest step"), [](int, int) { return 0; });
    follow("back", tr("One denoising step back"), [](int now, int) { return now - 1; });
    follow("forward", tr("One denoising step on"), [](int now, int) { return now + 1; });
    follow("last", tr("The finished text"), [](int, int last) { return last; });
    follow("back10", tr("Ten denoising steps back"), [](int now, int) { return now - 10; });
    follow("forward10", tr("Ten denoising steps on"), [](int now, int) { return now + 10; });
}

void CurvePanel::addLayer(const char* id, const QString& text, const QString& help,
                          bool CurveLayers::*layer) {
    const QString name = QLatin1String("curve.") + QLatin1String(id);
    QAction* action = context().commands->add(
        {QStringLiteral("curve.layer.") + QLatin1String(id), tr("Layer: %1").arg(text), tr("View"), {}, help},
        [] {}, this);
    action->setCheckable(true);
    action->setChecked(view_.layers.*layer);
    action->setIconText(text);
    connect(action, &QAction::toggled, this, [this, layer](bool on) {
        view_.layers.*layer = on;
        repaintView();
        Q_EMIT choiceChanged();
    });
    layers_->addLayer(action, name);
}

void CurvePanel::buildLayers() {
    layers_ = new LayerMenu(this);
    addLayer("targets", tr("Targets"), tr("Embeddings of the finished words: rings"), &CurveLayers::targets);
    addLayer("curve", tr("Curve"), tr("The curve through the sentence"), &CurveLayers::curve);
    addLayer("curves", tr("Other curves"),
             tr("All curves of a model that predicts several, with their weights"), &CurveLayers::curves);
    addLayer("words", tr("Words"), tr("The words' places on the curve, named with the token shown"),
             &CurveLayers::words);
    addLayer("polygon", tr("Control points"), tr("Control points and their polygon"), &CurveLayers::polygon);
    addLayer("residuals", tr("Rounding"),
             tr("Spokes from each word to its nearest token; their length is the rounding error"),
             &CurveLayers::residuals);
    addLayer("vocabulary", tr("Vocabulary"), tr("The 50 tokens nearest to each word"),
             &CurveLayers::vocabulary);
    addLayer("trails", tr("Trails"), tr("The way of each control point through all steps"),
             &CurveLayers::trails);
    addLayer("earlier", tr("Earlier steps"), tr("The steps before, faint"), &CurveLayers::earlier);
    auto* count = new QSpinBox;
    count->setObjectName(QStringLiteral("curve.earlier.count"));
    count->setAccessibleName(tr("Earlier steps shown"));
    count->setRange(1, 50);
    count->setValue(view_.earlierSteps);
    connect(count, &QSpinBox::valueChanged, this, [this](int steps) {
        view_.earlierSteps = steps;
        repaintView();
        Q_EMIT choiceChanged();
    });
    layers_->addExtra(tr("how many"), count);
}

QToolButton* CurvePanel::addButton(QWidget* bar, const char* id, const QString& text) {
    auto* button = new QToolButton(bar);
    QAction* action = context().commands->action(QLatin1String("curve.") + QLatin1String(id));
    action->setIconText(text);
    button->setDefaultAction(action);
    button->setObjectName(QLatin1String("curve.") + QLatin1String(id));
    button->setAccessibleName(action->text());
    button->setProperty("role", "quiet");
    bar->layout()->addWidget(button);
    return button;
}

QToolButton* CurvePanel::addMenu(QWidget* bar, const char* id, QMenu* menu, const QString& text) {
    auto* button = new QToolButton(bar);
    button->setText(text);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setObjectName(QLatin1String("curve.") + QLatin1String(id));
    button->setAccessibleName(text);
    button->setProperty("role", "quiet");
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
    curve_ = new QComboBox(bar);
    curve_->setObjectName(QStringLiteral("curve.which"));
    curve_->setAccessibleName(tr("Which of the predicted curves carries the words"));
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
    connect(basis_, &BasisForm::changed, this, &CurvePanel::choiceChanged);
    connect(lock_, &QAction::toggled, this, &CurvePanel::choiceChanged);
    addButton(bar, "lock", tr("Keep"));
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
    setTurning(layout == CurveLayout::Space);
    view_.fit();
    repaintView();
    Q_EMIT choiceChanged();
}

QList<QAction*> CurvePanel::layerActions() const {
    QList<QAction*> actions;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("curve.layer."))) actions << entry.action;
    return actions;
}

QJsonObject CurvePanel::save() const {
    QJsonObject layers;
    for (const QAction* action : layerActions()) layers[action->objectName()] = action->isChecked();
    return {{QStringLiteral("layers"), layers},
            {QStringLiteral("earlier"), view_.earlierSteps},
            {QStringLiteral("layout"), static_cast<int>(view_.layout)},
            {QStringLiteral("stacked"), view_.stacked},
            {QStringLiteral("basis"), basis_->save()},
            {QStringLiteral("lock"), lock_->isChecked()}};
}

void CurvePanel::restoreChoices(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    const QJsonObject layers = kept.value(QStringLiteral("layers")).toObject();
    for (QAction* action : layerActions())
        action->setChecked(layers.value(action->objectName()).toBool(action->isChecked()));
    if (auto* count = layers_->findChild<QSpinBox*>(QStringLiteral("curve.earlier.count")))
        count->setValue(kept.value(QStringLiteral("earlier")).toInt(view_.earlierSteps));
    setLayout(static_cast<CurveLayout>(std::clamp(kept.value(QStringLiteral("layout")).toInt(), 0, 2)));
    view_.stacked = view_.layout == CurveLayout::Space && kept.value(QStringLiteral("stacked")).toBool();
    stacked_->setChecked(view_.stacked);
    lock_->setChecked(kept.value(QStringLiteral("lock")).toBool());
    basis_->restore(kept.value(QStringLiteral("basis")).toObject());
}

/// In space the arrow keys and Home turn; else they are the playhead's.
void CurvePanel::setTurning(bool on) {
    for (const auto& entry : context().commands->entries()) {
        if (entry.command.id.startsWith(QLatin1String("curve.turn")))
            context().commands->setRefusal(entry.command.id,
                                           on ? QString() : tr("Only a curve in space is turned (3)."));
        const bool turnKey = entry.command.keys == QKeySequence(Qt::Key_Left) ||
                             entry.command.keys == QKeySequence(Qt::Key_Right) ||
                             entry.command.keys == QKeySequence(Qt::Key_Up) ||
                             entry.command.keys == QKeySequence(Qt::Key_Down) ||
                             entry.command.keys == QKeySequence(Qt::Key_Home);
        if (!adopted_ || !turnKey || !entry.command.id.startsWith(QLatin1String("timeline."))) continue;
        if (on)
            removeAction(entry.action);
        else
            addAction(entry.action);
    }
}

void CurvePanel::showEvent(QShowEvent* event) {
    if (!adopted_) adoptPlayhead();
    Panel::showEvent(event);
}

/// The playhead's keys work here as well, but for those that mean something else in this view; they are
/// registered by the timeline, which may be made later than this.
void CurvePanel::adoptPlayhead() {
    QList<QKeySequence> own;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("curve.")) &&
            !entry.command.id.startsWith(QLatin1String("curve.turn")) && !entry.command.keys.isEmpty())
            own << entry.command.keys;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("timeline.")) && !own.contains(entry.command.keys))
            addAction(entry.action);
    adopted_ = true;
    setTurning(view_.layout == CurveLayout::Space);
}

}  // namespace kurve::views
