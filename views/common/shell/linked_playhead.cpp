#include "views/common/shell/linked_playhead.h"

#include <QAction>
#include <QIcon>
#include <QPainter>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/panel.h"
#include "views/common/theme/drawn_icon.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

/// Two chain links in a square of 16 units, connected or apart.
void drawChain(QPainter& painter, bool linked) {
    painter.translate(8, 8);
    painter.rotate(-45);
    painter.setPen(QPen(linked ? theme().text : theme().warn, 1.6));
    const double gap = linked ? -2 : 1.2;
    for (const double sign : {-1.0, 1.0}) {
        const double from = gap / 2;
        painter.drawRoundedRect(QRectF(sign > 0 ? from : -from - 6.5, -2.4, 6.5, 4.8), 2.4, 2.4);
    }
    if (!linked) {
        painter.drawLine(QPointF(0, -3.6), QPointF(0, -6));
        painter.drawLine(QPointF(0, 3.6), QPointF(0, 6));
    }
}

void showLink(QToolButton& button, const LinkedPlayhead& head) {
    const bool linked = head.linked();
    button.setIcon(QIcon(drawnIcon([&](QPainter& painter) { drawChain(painter, linked); })));
    button.setText(linked ? QString() : QObject::tr("own step %1").arg(head.denoiseStep() + 1));
    button.setToolButtonStyle(linked ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    button.setToolTip(linked ? QObject::tr("Linked to the window's playhead (U: unlink)")
                             : QObject::tr("Unlinked from the window's playhead (U: link)"));
    button.setAccessibleName(button.toolTip());
}

}  // namespace

LinkedPlayhead::LinkedPlayhead(Playhead& window, QObject* parent) : Playhead(parent), window_(window) {
    setDenoiseSteps(window.denoiseSteps());
    setDenoiseStep(window.denoiseStep());
    setTrainStep(window.trainStep());
    // The current value is used, not the one of the signal: a listener may have moved the playhead meanwhile,
    // and the older value must not return through another view.
    connect(&window, &Playhead::trainStepChanged, this, [this] { setTrainStep(window_.trainStep()); });
    connect(&window, &Playhead::denoiseStepsChanged, this,
            [this] { setDenoiseSteps(window_.denoiseSteps()); });
    connect(&window, &Playhead::denoiseStepChanged, this, [this] {
        if (linked_) setDenoiseStep(window_.denoiseStep());
    });
    connect(this, &Playhead::trainStepChanged, &window, [this] { window_.setTrainStep(trainStep()); });
    connect(this, &Playhead::denoiseStepsChanged, &window,
            [this] { window_.setDenoiseSteps(denoiseSteps()); });
    connect(this, &Playhead::denoiseStepChanged, &window, [this] {
        if (linked_) window_.setDenoiseStep(denoiseStep());
    });
}

void LinkedPlayhead::setLinked(bool on) {
    if (on == linked_) return;
    linked_ = on;
    if (on) setDenoiseStep(window_.denoiseStep());
    Q_EMIT linkedChanged(on);
}

StudioContext withOwnPlayhead(StudioContext context) {
    if (context.playhead != nullptr) context.playhead = new LinkedPlayhead(*context.playhead);
    return context;
}

QToolButton* linkButton(Panel& view, const StudioContext& context) {
    auto* head = qobject_cast<LinkedPlayhead*>(context.playhead);
    head->setParent(&view);
    QAction* action = context.commands->add(
        {view.panelId() + QStringLiteral(".unlink"),
         QObject::tr("%1: link / unlink playhead").arg(view.title()), QObject::tr("View"),
         QKeySequence(Qt::Key_U), QObject::tr("An unlinked view has a denoising step of its own")},
        [head] { head->setLinked(!head->linked()); }, &view);
    auto* button = describe(new QToolButton(&view), action->objectName(), {.role = "quiet"});
    button->setFocusPolicy(Qt::NoFocus);
    button->setIconSize({px(16), px(16)});
    const auto show = [button, head] { showLink(*button, *head); };
    QObject::connect(button, &QToolButton::clicked, action, &QAction::trigger);
    QObject::connect(head, &LinkedPlayhead::linkedChanged, button, show);
    QObject::connect(head, &Playhead::denoiseStepChanged, button, show);
    onThemeChange(button, show);
    show();
    return button;
}

}  // namespace kurve::views
