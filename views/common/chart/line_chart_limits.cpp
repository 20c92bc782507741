// User-set axis limits of a LineChart: their editor, and when they apply.
#include <QAction>
#include <QToolTip>
#include <algorithm>

#include "views/common/chart/limits_editor.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/view_keys.h"

namespace kurve::views {

/// Each is a key of the chart and an entry of its context menu.
void LineChart::addRangeActions(ViewKeys& keys) {
    const auto add = [&](QKeySequence key, const QString& text, auto run) {
        auto* action = new QAction(text + QLatin1Char('\t') + key.toString(QKeySequence::NativeText), this);
        action->setObjectName(objectName() + QLatin1Char('.') + QString::number(actions().size()));
        connect(action, &QAction::triggered, this, run);
        addAction(action);
        keys.add({{key}, text, [action] { action->trigger(); }});
        return action;
    };
    add(Qt::Key_L, tr("Set y limits…"), [this] { editLimits(Qt::Vertical); });
    add(Qt::SHIFT | Qt::Key_L, tr("Set x limits…"), [this] { editLimits(Qt::Horizontal); });
    add(Qt::Key_U, tr("Reset axis limits"), [this] { unlock(); });
    outliers_ =
        add(Qt::SHIFT | Qt::Key_F, tr("Fit without outliers"), [this](bool on) { setIgnoringOutliers(on); });
    outliers_->setCheckable(true);
    auto* back = new QAction(tr("Previous view") + QLatin1Char('\t') +
                                 QKeySequence(Qt::Key_Backspace).toString(QKeySequence::NativeText),
                             this);
    connect(back, &QAction::triggered, this, &LineChart::previousView);
    addAction(back);
}

void LineChart::setKeyLimits(const AxisLimits& limits) {
    if (limits == keyLimits_) return;
    keyLimits_ = limits;
    fit();
    Q_EMIT keyLimitsChanged();
}

void LineChart::setValueLimits(const AxisLimits& limits) {
    if (limits == valueLimits_) return;
    valueLimits_ = limits;
    refitValues();
}

void LineChart::setIgnoringOutliers(bool on) {
    if (on == ignoresOutliers_) return;
    ignoresOutliers_ = on;
    outliers_->setChecked(on);
    refitValues();
}

/// Also while the x range was set by the user.
void LineChart::refitValues() {
    valuesZoomed_ = false;
    settle();
    if (!curves_.empty()) fitValues();
    touch();
    showButtons(underMouse());
    Q_EMIT rangeChoiceChanged();
}

void LineChart::unlock() {
    setKeyLimits({});
    setValueLimits({});
}

void LineChart::editLimits(Qt::Orientation axis) {
    if (editor_) editor_->cancel();
    const bool across = axis == Qt::Horizontal;
    const QCPRange range = (across ? plot()->xAxis : plot()->yAxis)->range();
    const AxisScale& scale = across ? scales_.keys : scales_.values;
    LimitsEditor::Axis about{across ? (keyTitle_.isEmpty() ? tr("x") : keyTitle_) : tr("y"),
                             across ? keyLimits_ : valueLimits_,
                             {scale.toValue(range.lower), scale.toValue(range.upper)},
                             across && areDates() ? LimitForm::Date : LimitForm::Number,
                             scale.isLog() ? LimitValues::Positive : LimitValues::All};
    editor_ = new LimitsEditor(objectName() + QStringLiteral(".limits"), std::move(about), this);
    connect(editor_, &LimitsEditor::chosen, this, [this, across](const AxisLimits& limits) {
        across ? setKeyLimits(limits) : setValueLimits(limits);
    });
    connect(editor_, &LimitsEditor::finished, this, [this, editor = editor_.data()] {
        if (editor->isAncestorOf(focusWidget()) || editor->isAncestorOf(window()->focusWidget()))
            setFocus(Qt::OtherFocusReason);
    });
    editor_->adjustSize();
    const QRect area = plot_->axisRect()->rect().translated(plot_->pos());
    const int left = std::min(area.left() + px(4), width() - editor_->width() - px(2));
    const int top = across ? area.bottom() - editor_->height() - px(4) : area.top() + px(4);
    editor_->move(std::max(px(2), left), std::clamp(top, 0, std::max(0, height() - editor_->height())));
    editor_->show();
    editor_->raise();
    editor_->setFocus(Qt::OtherFocusReason);
}

/// Fitting keeps the limits; says so at the axes.
void LineChart::showLimitsHint() {
    if (!keyLimits_.any() && !valueLimits_.any()) return;
    const QString axes = !valueLimits_.any() ? tr("x limits kept")
                         : !keyLimits_.any() ? tr("y limits kept")
                                             : tr("x and y limits kept");
    QToolTip::showText(plot_->mapToGlobal(plot_->axisRect()->rect().topLeft()),
                       tr("%1; U resets them, L and Shift+L edit them").arg(axes), this);
}

QJsonObject LineChart::saveRange() const {
    QJsonObject all;
    if (valueLimits_.any()) all.insert(QStringLiteral("y"), saveLimits(valueLimits_));
    if (ignoresOutliers_) all.insert(QStringLiteral("outliers"), false);
    return all;
}

void LineChart::restoreRange(const QJsonObject& saved) {
    setValueLimits(limitsOf(saved.value(QStringLiteral("y"))));
    setIgnoringOutliers(!saved.value(QStringLiteral("outliers")).toBool(true));
}

}  // namespace kurve::views
