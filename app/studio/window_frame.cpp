#include "app/studio/window_frame.h"

#include <QEvent>
#include <QLabel>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/studio/panel_room.h"
#include "views/common/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr int kSidesAcross = 7;  ///< two of them and two panels fit a screen of 800 (1600 at twice the size)
constexpr int kRunsWidth = 376, kInspectorWidth = 272;
/// What a workspace needs to show its main view whole. Where the sides leave it less they give, down to these
/// widths; where that is not enough either they are folded away.
constexpr int kCentreWidth = 940, kNarrowRunsWidth = 340, kNarrowInspectorWidth = 204;

QWidget* sidePane(const QString& title, Panel* content) {
    auto* pane = new QWidget;
    pane->setProperty("role", "surface");
    pane->setAttribute(Qt::WA_StyledBackground);
    auto* head = new QLabel(title);
    head->setProperty("role", "panehead");
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(head);
    layout->addWidget(new PanelRoom(content, kSidesAcross), 1);
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
    connect(this, &QSplitter::splitterMoved, this, [this](int, int handle) { pulled(handle); });
}

bool WindowFrame::isFolded(int column) const {
    return sizes().value(column) == 0;
}

/// A splitter counts them: at twice the size the window would grow beyond its screen.
QSize WindowFrame::minimumSizeHint() const {
    QSize least = QSplitter::minimumSizeHint();
    for (const int side : {Runs, Inspector})
        if (isFolded(side)) least.rwidth() -= widget(side)->minimumSizeHint().width();
    return least;
}

// A side that is folded is moved out of sight, at its size.
bool WindowFrame::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Move || event->type() == QEvent::Resize) updateGeometry();
    return QSplitter::eventFilter(watched, event);
}

void WindowFrame::arrange(int windowWidth) {
    wished_ = {kRunsWidth, kCentreWidth, kInspectorWidth};
    opened_ = {};
    share(windowWidth, {true, false, true});
}

void WindowFrame::toggle(Side side) {
    const double usual = side == Runs ? kRunsWidth : kInspectorWidth;
    wished_[side] = isFolded(side) ? usual : 0;
    Columns<bool> mayFold = folded();
    mayFold[side] = false;  // it was asked for
    share(width(), mayFold);
    moved(side);
}

QJsonArray WindowFrame::columns() const {
    return {wished_[0], wished_[1], wished_[2]};
}

bool WindowFrame::setColumns(const QJsonArray& columns, int windowWidth) {
    const auto isWidth = [](const QJsonValue& value) { return value.toDouble(-1) >= 0; };
    if (columns.size() != 3 || !std::all_of(columns.begin(), columns.end(), isWidth)) return false;
    for (int column = 0; column < 3; ++column) wished_[column] = columns[column].toDouble();
    opened_ = {};
    share(windowWidth, {true, false, true});
    return true;
}

// The handle before a column has that column's number.
void WindowFrame::pulled(int handle) {
    const Side side = handle == 1 ? Runs : Inspector;
    wished_[side] = sizes()[side] / theme().scale;
    moved(side);
}

// Who opens a side where there is no room for it wants a smaller centre.
void WindowFrame::moved(Side side) {
    opened_[side] = !isFolded(side);
    const bool any = opened_[Runs] || opened_[Inspector];
    wished_[1] = any ? std::min<double>(kCentreWidth, sizes()[1] / theme().scale) : kCentreWidth;
}

auto WindowFrame::narrowed(int all, const Columns<bool>& folded) const -> Columns<int> {
    Columns<int> widths{};
    for (const Side side : {Runs, Inspector})
        if (!folded[side]) widths[side] = px(wished_[side]);
    const auto centre = [&] { return all - 2 * handleWidth() - widths[Runs] - widths[Inspector]; };
    for (const auto& [side, narrow] : {std::pair(Runs, kNarrowRunsWidth), {Inspector, kNarrowInspectorWidth}})
        if (const int lack = px(wished_[1]) - centre(); lack > 0 && widths[side] > px(narrow))
            widths[side] = std::max(px(narrow), widths[side] - lack);
    widths[1] = centre();
    return widths;
}

void WindowFrame::share(int all, const Columns<bool>& mayFold) {
    Columns<bool> folded{};
    Columns<int> widths = narrowed(all, folded);
    for (const Side side : {Inspector, Runs}) {
        if (!mayFold[side] || widths[1] >= px(wished_[1])) continue;
        folded[side] = true;
        widths = narrowed(all, folded);
    }
    setSizes({widths.begin(), widths.end()});
}

// A side that a small window left no room for comes back with it; one that was opened by hand is not folded.
void WindowFrame::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        share(width(), {!opened_[Runs], false, !opened_[Inspector]});
}

}  // namespace kurve::studio
