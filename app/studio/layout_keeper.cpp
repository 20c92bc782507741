#include "app/studio/layout_keeper.h"

#include <QEvent>
#include <QHeaderView>
#include <QScreen>
#include <QTableView>
#include <QWindow>
#include <algorithm>

#include "views/common/theme.h"

namespace kurve::studio {

namespace {

constexpr int kSettleMilliseconds = 300, kFrameMilliseconds = 200, kFrameAsked = 25;

QString base64(const QByteArray& bytes) {
    return QString::fromLatin1(bytes.toBase64());
}
QByteArray bytesOf(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}

}  // namespace

LayoutKeeper::LayoutKeeper(ProjectSession& session, Parts parts)
    : session_(session), parts_(std::move(parts)) {
    parts_.window.installEventFilter(this);
    later_.setSingleShot(true);
    later_.setInterval(kSettleMilliseconds);
    connect(&later_, &QTimer::timeout, this, &LayoutKeeper::save);
    connect(&parts_.frame, &QSplitter::splitterMoved, this, &LayoutKeeper::saveSoon);
    if (auto* table = parts_.runs.findChild<QTableView*>()) {
        const QHeaderView* columns = table->horizontalHeader();
        for (const auto signal : {&QHeaderView::sectionResized, &QHeaderView::sectionMoved})
            connect(columns, signal, this, &LayoutKeeper::saveSoon);
        connect(columns, &QHeaderView::sortIndicatorChanged, this, &LayoutKeeper::saveSoon);
    }
}

void LayoutKeeper::restore() {
    const QJsonObject state = session_.state();
    if (!parts_.window.restoreGeometry(bytesOf(state.value(QStringLiteral("geometry")))))
        parts_.window.resize(
            QSize(views::px(1600), views::px(1000)).boundedTo(parts_.window.screen()->availableSize()));
    fitScreen();
    const bool whole = parts_.window.isMaximized() || parts_.window.isFullScreen();
    const int width = whole ? parts_.window.screen()->availableSize().width() : parts_.window.width();
    if (!parts_.frame.setColumns(state.value(QStringLiteral("columns")).toArray(), width))
        parts_.frame.arrange(width);
    parts_.runs.restoreHeaderState(bytesOf(state.value(QStringLiteral("runColumns"))));
    parts_.runs.setFilterText(state.value(QStringLiteral("filter")).toString());
}

void LayoutKeeper::fitScreen(QMargins frame) {
    // The geometry may be that of a larger screen.
    const QRect room = parts_.window.screen()->availableGeometry().marginsRemoved(frame);
    if (room.contains(parts_.window.geometry())) return;
    QRect place(parts_.window.geometry().topLeft(), parts_.window.size().boundedTo(room.size()));
    place.moveRight(std::min(place.right(), room.right()));
    place.moveBottom(std::min(place.bottom(), room.bottom()));
    place.moveLeft(std::max(place.left(), room.left()));
    place.moveTop(std::max(place.top(), room.top()));
    parts_.window.setGeometry(place);
}

// What the desktop draws around the window would push the status line out. It is known some time after the
// window is shown; where nothing is drawn it never is.
bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) fitFrame(kFrameAsked);
    return QObject::eventFilter(watched, event);
}

void LayoutKeeper::fitFrame(int asks) {
    QTimer::singleShot(kFrameMilliseconds, this, [this, asks] {
        const QWindow* shown = parts_.window.windowHandle();
        if (shown == nullptr || parts_.window.isMaximized() || parts_.window.isFullScreen()) return;
        if (!shown->frameMargins().isNull())
            fitScreen(shown->frameMargins());
        else if (asks > 1)
            fitFrame(asks - 1);
    });
}

QByteArray LayoutKeeper::docksOf(WorkspaceId id) const {
    return bytesOf(session_.state().value(QStringLiteral("layouts")).toObject().value(workspaceName(id)));
}

void LayoutKeeper::save() {
    QJsonObject layouts = session_.state().value(QStringLiteral("layouts")).toObject();
    for (const Workspace* space : parts_.workspaces)
        if (space->isOpen() && space->isVisible())
            layouts.insert(workspaceName(space->id()), base64(space->saveLayout()));
    session_.put(QStringLiteral("layouts"), layouts);
    session_.put(QStringLiteral("geometry"), base64(parts_.window.saveGeometry()));
    session_.put(QStringLiteral("columns"), parts_.frame.columns());
    session_.put(QStringLiteral("runColumns"), base64(parts_.runs.headerState()));
}

QJsonObject LayoutKeeper::arrangement() {
    save();
    return {{QStringLiteral("workspaces"), session_.state().value(QStringLiteral("layouts"))},
            {QStringLiteral("columns"), parts_.frame.columns()}};
}

bool LayoutKeeper::apply(const QJsonObject& arrangement) {
    const QJsonObject before = this->arrangement();
    const QJsonObject docks = arrangement.value(QStringLiteral("workspaces")).toObject();
    const auto put = [this](const QJsonObject& wanted, const QJsonObject& all) {
        bool fits =
            parts_.frame.setColumns(wanted.value(QStringLiteral("columns")).toArray(), parts_.frame.width());
        for (Workspace* space : parts_.workspaces)
            if (const QByteArray state = bytesOf(all.value(workspaceName(space->id()))); !state.isEmpty())
                fits = (!space->isOpen() || space->restoreLayout(state)) && fits;
        return fits;
    };
    if (!put(arrangement, docks)) {
        put(before, before.value(QStringLiteral("workspaces")).toObject());
        return false;
    }
    QJsonObject layouts = session_.state().value(QStringLiteral("layouts")).toObject();
    for (auto it = docks.begin(); it != docks.end(); ++it) layouts.insert(it.key(), it.value());
    session_.put(QStringLiteral("layouts"), layouts);  // of workspaces that are opened later
    saveSoon();
    return true;
}

}  // namespace kurve::studio
