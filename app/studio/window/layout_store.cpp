#include "app/studio/window/layout_store.h"

#include <QEvent>
#include <QScreen>
#include <QWindow>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::studio {

namespace {

constexpr int kLayoutSettleMilliseconds = 300, kFrameMilliseconds = 200, kFrameQueries = 25;

QString base64(const QByteArray& bytes) {
    return QString::fromLatin1(bytes.toBase64());
}
QByteArray bytesOf(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}

}  // namespace

LayoutStore::LayoutStore(ProjectSession& session, Parts parts) : session_(session), parts_(std::move(parts)) {
    parts_.window.installEventFilter(this);
    later_.setSingleShot(true);
    later_.setInterval(kLayoutSettleMilliseconds);
    connect(&later_, &QTimer::timeout, this, &LayoutStore::save);
    connect(&parts_.frame, &QSplitter::splitterMoved, this, &LayoutStore::saveSoon);
}

void LayoutStore::restore() {
    const QJsonObject state = session_.state();
    if (!parts_.window.restoreGeometry(bytesOf(state.value(QStringLiteral("geometry")))))
        parts_.window.resize(
            QSize(views::px(1600), views::px(1000)).boundedTo(parts_.window.screen()->availableSize()));
    fitScreen();
    const bool whole = parts_.window.isMaximized() || parts_.window.isFullScreen();
    const int width = whole ? parts_.window.screen()->availableSize().width() : parts_.window.width();
    if (!parts_.frame.setAllColumns(state.value(QStringLiteral("columns")).toObject(), width))
        parts_.frame.arrange(width);
}

void LayoutStore::fitScreen(QMargins frame) {
    // The geometry may be that of a larger screen.
    const QRect available = parts_.window.screen()->availableGeometry().marginsRemoved(frame);
    if (available.contains(parts_.window.geometry())) return;
    QRect geometry(parts_.window.geometry().topLeft(), parts_.window.size().boundedTo(available.size()));
    geometry.moveRight(std::min(geometry.right(), available.right()));
    geometry.moveBottom(std::min(geometry.bottom(), available.bottom()));
    geometry.moveLeft(std::max(geometry.left(), available.left()));
    geometry.moveTop(std::max(geometry.top(), available.top()));
    parts_.window.setGeometry(geometry);
}

// The window frame of the desktop would move the status line off the screen. Its size is known some time
// after the window is shown; without a frame never.
bool LayoutStore::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) fitFrame(kFrameQueries);
    return QObject::eventFilter(watched, event);
}

void LayoutStore::fitFrame(int queries) {
    QTimer::singleShot(kFrameMilliseconds, this, [this, queries] {
        const QWindow* shown = parts_.window.windowHandle();
        if (shown == nullptr || parts_.window.isMaximized() || parts_.window.isFullScreen()) return;
        if (!shown->frameMargins().isNull())
            fitScreen(shown->frameMargins());
        else if (queries > 1)
            fitFrame(queries - 1);
    });
}

QByteArray LayoutStore::docksOf(WorkspaceId id) const {
    return bytesOf(session_.state().value(QStringLiteral("layouts")).toObject().value(workspaceName(id)));
}

void LayoutStore::save() {
    QJsonObject layouts = session_.state().value(QStringLiteral("layouts")).toObject();
    for (const Workspace* space : parts_.workspaces)
        if (space->isOpen() && space->isVisible())
            layouts.insert(workspaceName(space->id()), base64(space->saveLayout()));
    session_.put(QStringLiteral("layouts"), layouts);
    session_.put(QStringLiteral("geometry"), base64(parts_.window.saveGeometry()));
    session_.put(QStringLiteral("columns"), parts_.frame.allColumns());
}

QJsonObject LayoutStore::arrangement() {
    save();
    return {{QStringLiteral("workspaces"), session_.state().value(QStringLiteral("layouts"))},
            {QStringLiteral("columns"), parts_.frame.allColumns()}};
}

bool LayoutStore::apply(const QJsonObject& arrangement) {
    const QJsonObject before = this->arrangement();
    const QJsonObject docks = arrangement.value(QStringLiteral("workspaces")).toObject();
    const auto put = [this](const QJsonObject& wanted, const QJsonObject& all) {
        bool fits = parts_.frame.setAllColumns(wanted.value(QStringLiteral("columns")).toObject(),
                                               parts_.frame.width());
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
