#include "app/studio/window_frame.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "app/studio/panel_room.h"
#include "views/common/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr int kSidesAcross = 7;  ///< two of them and two panels fit a screen of 800 (1600 at twice the size)
constexpr int kRunsWidth = 376, kNarrowRunsWidth = 150, kInspectorWidth = 272;

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
    const int runs = windowWidth >= px(900)   ? px(kRunsWidth)
                     : windowWidth >= px(760) ? px(kNarrowRunsWidth)
                                              : 0;
    const int inspector = windowWidth >= px(1240) ? px(kInspectorWidth) : 0;
    setSizes({runs, windowWidth - runs - inspector, inspector});
}

void WindowFrame::toggle(Side side) {
    QList<int> columns = sizes();
    int& width = columns[side];
    const int before = width;
    width = before > 0 ? 0 : px(side == Runs ? kRunsWidth : kInspectorWidth);
    columns[1] += before - width;
    setSizes(columns);
}

}  // namespace kurve::studio
