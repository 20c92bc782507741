#include "app/studio/window/window_frame.h"

#include <QEvent>
#include <QLabel>
#include <QResizeEvent>
#include <algorithm>
#include <utility>

#include "app/studio/window/panel_scroll_area.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr int kSidesAcross = 7;  ///< two of them and two panels fit a screen of 800 (1600 at twice the size)
constexpr int kRunsWidth = 376, kInspectorWidth = 272;
/// The width that a workspace needs for its main view. Where it has less the sides are narrowed, down to
/// these widths; where that is not enough they are folded.
constexpr int kCentreWidth = 940, kNarrowRunsWidth = 340, kNarrowInspectorWidth = 204;

QWidget* sidePane(const QString& title, Panel* content) {
    auto* pane = describe(new QWidget, {.role = "surface", .filled = true});
    auto* head = describe(new QLabel(title), {.role = "panehead"});
    vboxIn(pane, {head, {new PanelScrollArea(content, kSidesAcross), 1}}, {.margins = 0, .spacing = 0});
    return pane;
}

}  // namespace

WindowFrame::WindowFrame(const Content& content, QWidget* parent) : QSplitter(Qt::Horizontal, parent) {
    setObjectName(QStringLiteral("frame"));
    addWidget(sidePane(tr("Runs"), content.runs));
    addWidget(content.centre);
    addWidget(sidePane(tr("Inspector"), content.inspector));
    for (int i = 0; i < count(); ++i) setStretchFactor(i, i == 1 ? 1 : 0);
    setChildrenCollapsible(true);
    for (const int side : {Runs, Inspector}) widget(side)->installEventFilter(this);
    connect(this, &QSplitter::splitterMoved, this, [this](int, int handle) { handleMoved(handle); });
}

bool WindowFrame::isFolded(int column) const {
    return sizes().value(column) == 0;
}

/// A splitter counts folded sides: at zoom 2 the window would exceed its screen.
QSize WindowFrame::minimumSizeHint() const {
    QSize least = QSplitter::minimumSizeHint();
    for (const int side : {Runs, Inspector})
        if (isFolded(side)) least.rwidth() -= widget(side)->minimumSizeHint().width();
    return least;
}

// A folded side is moved outside, at its size.
bool WindowFrame::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Move || event->type() == QEvent::Resize) updateGeometry();
    return QSplitter::eventFilter(watched, event);
}

auto WindowFrame::defaults(bool folds) -> Sides {
    return {{folds ? 0.0 : kRunsWidth, kCentreWidth, folds ? 0.0 : kInspectorWidth}, {}};
}

void WindowFrame::arrange(int windowWidth) {
    other_.clear();
    now_ = defaults(folds_);
    distribute(windowWidth, {true, false, true});
}

void WindowFrame::setWorkspace(const QString& name, bool folds) {
    if (name == workspace_) return;
    if (!workspace_.isEmpty()) other_[workspace_] = now_;
    workspace_ = name;
    folds_ = folds;
    now_ = other_.contains(name) ? other_.take(name) : defaults(folds);
    distribute(width(), {!now_.opened[Runs], false, !now_.opened[Inspector]});
}

void WindowFrame::toggle(Side side) {
    const double usual = side == Runs ? kRunsWidth : kInspectorWidth;
    now_.preferred[side] = isFolded(side) ? usual : 0;
    Columns<bool> mayFold = folded();
    mayFold[side] = false;  // the user opened it
    distribute(width(), mayFold);
    moved(side);
}

QJsonArray WindowFrame::columns() const {
    return {now_.preferred[0], now_.preferred[1], now_.preferred[2]};
}

auto WindowFrame::widthsOf(const QJsonArray& columns) -> std::optional<Columns<double>> {
    const auto isWidth = [](const QJsonValue& value) { return value.toDouble(-1) >= 0; };
    if (columns.size() != 3 || !std::all_of(columns.begin(), columns.end(), isWidth)) return {};
    return Columns<double>{columns[0].toDouble(), columns[1].toDouble(), columns[2].toDouble()};
}

bool WindowFrame::setColumns(const QJsonArray& columns, int windowWidth) {
    const auto widths = widthsOf(columns);
    if (!widths) return false;
    now_ = {*widths, {}};
    distribute(windowWidth, {true, false, true});
    return true;
}

QJsonObject WindowFrame::allColumns() const {
    QJsonObject all;
    for (auto each = other_.begin(); each != other_.end(); ++each) {
        const Columns<double>& widths = each->preferred;
        all.insert(each.key(), QJsonArray{widths[0], widths[1], widths[2]});
    }
    if (!workspace_.isEmpty()) all.insert(workspace_, columns());
    return all;
}

bool WindowFrame::setAllColumns(const QJsonObject& columns, int windowWidth) {
    QMap<QString, Sides> all;
    for (auto each = columns.begin(); each != columns.end(); ++each) {
        const auto widths = widthsOf(each->toArray());
        if (!widths) return false;
        all.insert(each.key(), {*widths, {}});
    }
    if (all.isEmpty()) return false;
    other_ = all;
    if (other_.contains(workspace_)) now_ = other_.take(workspace_);
    distribute(windowWidth, {true, false, true});
    return true;
}

// The handle before a column has that column's number.
void WindowFrame::handleMoved(int handle) {
    const Side side = handle == 1 ? Runs : Inspector;
    now_.preferred[side] = sizes()[side] / theme().scale;
    moved(side);
}

// Opening a side without space for it makes the centre smaller.
void WindowFrame::moved(Side side) {
    now_.opened[side] = !isFolded(side);
    reportFolds();
    const bool any = now_.opened[Runs] || now_.opened[Inspector];
    now_.preferred[1] = any ? std::min<double>(kCentreWidth, sizes()[1] / theme().scale) : kCentreWidth;
}

auto WindowFrame::narrowed(int all, const Columns<bool>& folded) const -> Columns<int> {
    Columns<int> widths{};
    for (const Side side : {Runs, Inspector})
        if (!folded[side]) widths[side] = px(now_.preferred[side]);
    const auto centre = [&] { return all - 2 * handleWidth() - widths[Runs] - widths[Inspector]; };
    for (const auto& [side, narrow] : {std::pair(Runs, kNarrowRunsWidth), {Inspector, kNarrowInspectorWidth}})
        if (const int lack = px(now_.preferred[1]) - centre(); lack > 0 && widths[side] > px(narrow))
            widths[side] = std::max(px(narrow), widths[side] - lack);
    widths[1] = centre();
    return widths;
}

void WindowFrame::distribute(int all, const Columns<bool>& mayFold) {
    Columns<bool> folded{};
    Columns<int> widths = narrowed(all, folded);
    for (const Side side : {Inspector, Runs}) {
        if (!mayFold[side] || widths[1] >= px(now_.preferred[1])) continue;
        folded[side] = true;
        widths = narrowed(all, folded);
    }
    setSizes({widths.begin(), widths.end()});
    reportFolds();
}

void WindowFrame::reportFolds() {
    if (std::exchange(reported_, folded()) != folded()) Q_EMIT foldsChanged();
}

// A side folded for lack of space is unfolded with it; one that the user opened is not folded.
void WindowFrame::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        distribute(width(), {!now_.opened[Runs], false, !now_.opened[Inspector]});
    Q_EMIT foldsChanged();
}

}  // namespace kurve::studio
