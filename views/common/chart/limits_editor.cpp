#include "views/common/chart/limits_editor.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QLineEdit* limitField(const QString& id, const QString& name, LimitForm form) {
    auto* field = describe(new QLineEdit, id, name, LimitsEditor::tr("Empty: automatic"),
                           {.placeholder = LimitsEditor::tr("auto")});
    field->setFixedWidth(px(form == LimitForm::Date ? 128 : 74));
    return field;
}

}  // namespace

LimitsEditor::LimitsEditor(const QString& id, Axis axis, QWidget* chart)
    : QFrame(chart),
      axis_(std::move(axis)),
      from_(limitField(id + QStringLiteral(".from"), tr("%1 from").arg(axis_.name), axis_.form)),
      to_(limitField(id + QStringLiteral(".to"), tr("%1 to").arg(axis_.name), axis_.form)),
      problem_(new QLabel) {
    describe(this, id, tr("%1 limits").arg(axis_.name), {.role = "card", .filled = true});
    const auto button = [&](const char* name, const QString& text, const QString& tip) {
        return describe(new QPushButton(text), id + QLatin1String(name), text, tip, {.role = "quiet"});
    };
    auto* shown = button(".shown", tr("Current range"), tr("Use the range shown now"));
    auto* automatic = button(".automatic", tr("Automatic"), tr("No limits: the axis follows the data"));
    describe(problem_, id + QStringLiteral(".problem"), {.role = "error", .wraps = true, .hidden = true});
    auto* ends = hbox({from_, new QLabel(tr("to")), to_}, {.spacing = space::kTight});
    auto* buttons = hbox({{new QLabel(axis_.name), 1}, shown, automatic}, {.spacing = 0});
    vboxIn(this, {ends, buttons, problem_}, {.margins = {6, space::kTight}, .spacing = 2});
    setTabOrder(from_, to_);
    setTabOrder(to_, shown);
    setTabOrder(shown, automatic);
    setFocusProxy(from_);
    fill(axis_.limits);
    connect(shown, &QPushButton::clicked, this, [this] {
        fill(axis_.shown);
        from_->setFocus();
    });
    connect(automatic, &QPushButton::clicked, this, [this] {
        fill({});
        accept();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        // Switching to another window does not close it.
        if (now == nullptr || now == this || isAncestorOf(now) || done_) return;
        if (!accept()) finish();
    });
}

void LimitsEditor::fill(const AxisLimits& limits) {
    from_->setText(limitText(limits.from, axis_.form));
    to_->setText(limitText(limits.to, axis_.form));
    from_->selectAll();
}

bool LimitsEditor::accept() {
    const ReadLimits read = readLimits(from_->text(), to_->text(), axis_.form, axis_.values);
    showText(*problem_, read.problem);
    adjustSize();
    if (!read.problem.isEmpty()) return false;
    const AxisLimits limits = read.limits;
    finish();
    if (!(limits == axis_.limits)) Q_EMIT chosen(limits);
    return true;
}

void LimitsEditor::finish() {
    if (std::exchange(done_, true)) return;
    Q_EMIT finished();
    hide();
    deleteLater();
}

/// No key reaches the chart below: an arrow would pan it, Enter would click.
void LimitsEditor::keyPressEvent(QKeyEvent* event) {
    auto* button = qobject_cast<QPushButton*>(focusWidget());
    if (event->key() == Qt::Key_Escape)
        finish();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        button != nullptr && button->hasFocus() ? button->click() : static_cast<void>(accept());
    event->accept();
}

bool LimitsEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter) event->accept();
    }
    // A click beside the fields does not reach the chart.
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick ||
        event->type() == QEvent::ContextMenu || event->type() == QEvent::Wheel)
        return true;
    return QFrame::event(event);
}

}  // namespace kurve::views
