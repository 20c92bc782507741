#include "app/studio/workspace.h"

#include <QDataStream>
#include <QDockWidget>
#include <QMap>
#include <QResizeEvent>
#include <QTabBar>
#include <map>
#include <utility>

#include "app/studio/panel_room.h"
#include "views/common/theme.h"

namespace kurve::studio {

using views::px;

namespace {

constexpr quint32 kLayoutMark = 0x4b764c31;  // "KvL1": no QMainWindow state begins so
constexpr int kMainHeight = 300;             ///< of a main view, with its bars

/// How a workspace of some size is divided: each split takes from what the one before left to its anchor.
struct Split {
    const PanelKind* kind;
    int rest, part;  ///< the anchor's, the panel's
    [[nodiscard]] bool across() const { return kind->place == Place::Right; }
};
std::vector<Split> splitsOf(WorkspaceId id, QSize all) {
    std::map<QString, QSize> sizes;
    std::vector<Split> splits;
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id || kind.place == Place::Tab) continue;
        if (kind.place == Place::First) {
            sizes[kind.id] = all;
            continue;
        }
        QSize& left = sizes[kind.anchor];
        QSize own = left;
        const bool across = kind.place == Place::Right;
        int& rest = across ? left.rwidth() : left.rheight();
        int& part = across ? own.rwidth() : own.rheight();
        part = rest * kind.share / 100;
        rest -= part;
        splits.push_back({&kind, rest, part});
        sizes[kind.id] = own;
    }
    return splits;
}
bool isFirst(const QString& id) {
    return std::any_of(panelKinds().begin(), panelKinds().end(),
                       [&](const PanelKind& kind) { return kind.id == id && kind.place == Place::First; });
}

}  // namespace

Workspace::Workspace(WorkspaceId id, views::StudioContext context, QWidget* parent)
    : QMainWindow(parent, Qt::Widget), id_(id), context_(context) {
    setObjectName(QStringLiteral("workspace.") + workspaceName(id));
    setDockNestingEnabled(true);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                   QMainWindow::AnimatedDocks);
    titles_.setSingleShot(true);
    titles_.setInterval(0);
    connect(&titles_, &QTimer::timeout, this, &Workspace::showTitles);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    for (auto [timer, carried] :
         {std::pair(&moved_, &Workspace::remember), {&resized_, &Workspace::keepShares}}) {
        timer->setSingleShot(true);
        timer->setInterval(0);
        connect(timer, &QTimer::timeout, this, carried);
    }
}

void Workspace::open(const QByteArray& layout) {
    if (open_) return;
    open_ = true;
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id_) continue;
        views::Panel* panel = kind.make(context_);
        auto* dock = new QDockWidget(kind.title, this);
        dock->setObjectName(QStringLiteral("dock.") + kind.id);
        dock->setWidget(new PanelRoom(panel));
        dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                          QDockWidget::DockWidgetClosable);
        docks_[kind.id] = dock;
        panels_.push_back(panel);
        dock->installEventFilter(this);
        for (const auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
            connect(dock, signal, &titles_, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::dockLocationChanged, &titles_, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::dockLocationChanged, &moved_, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::topLevelChanged, &moved_, qOverload<>(&QTimer::start));
        connect(dock->toggleViewAction(), &QAction::toggled, &moved_, qOverload<>(&QTimer::start));
        connect(dock, &QDockWidget::visibilityChanged, this, &Workspace::layoutChanged);
        connect(dock, &QDockWidget::dockLocationChanged, this, &Workspace::layoutChanged);
        connect(dock, &QDockWidget::topLevelChanged, this, &Workspace::layoutChanged);
    }
    arrange();
    if (!layout.isEmpty()) (void)restoreLayout(layout);
    showTitles();
    for (views::Panel* panel : panels_) Q_EMIT panelMade(panel);
}

void Workspace::arrange() {
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id_) continue;
        QDockWidget* dock = docks_[kind.id];
        QDockWidget* anchor = this->dock(kind.anchor);
        dock->setFloating(false);
        if (!anchor || kind.place == Place::First)
            addDockWidget(Qt::LeftDockWidgetArea, dock);
        else if (kind.place == Place::Tab)
            tabifyDockWidget(anchor, dock);
        else
            splitDockWidget(anchor, dock, kind.place == Place::Right ? Qt::Horizontal : Qt::Vertical);
        dock->show();
    }
    // The first of several tabs is the one in front.
    for (const PanelKind& kind : panelKinds())
        if (kind.workspace == id_ && kind.place != Place::Tab) docks_[kind.id]->raise();
}

void Workspace::showTitles() {
    // A tab already says the name.
    for (auto& [id, dock] : docks_) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        const bool alone = !dock->isFloating() && docks_.size() == 1;
        const bool plain = dock->titleBarWidget() != nullptr;
        if (plain == (tabbed || alone)) continue;
        QWidget* old = dock->titleBarWidget();
        dock->setTitleBarWidget(tabbed || alone ? new QWidget : nullptr);
        delete old;
    }
}

void Workspace::distribute() {
    for (const Split& split : splitsOf(id_, size()))
        resizeDocks({dock(split.kind->anchor), dock(split.kind->id)}, {split.rest, split.part},
                    split.across() ? Qt::Horizontal : Qt::Vertical);
}

void Workspace::stack() {
    std::vector<const PanelKind*> low;
    for (const Split& split : splitsOf(id_, size()))
        if (!split.across() && !isFirst(split.kind->anchor) && split.rest < px(kMainHeight))
            low.push_back(split.kind);
    if (low.empty() == high_.isEmpty()) return;
    if (low.empty()) return void(put(std::exchange(high_, {})));
    const QByteArray high = saveLayout();
    bool any = false;
    for (const PanelKind* kind : low) any = tabUp(*dock(kind->anchor), *dock(kind->id)) || any;
    if (!any) return;
    high_ = high;
    moved_.stop();  // nobody did it
    resized_.start();
}

bool Workspace::tabUp(QDockWidget& main, QDockWidget& below) {
    QList<QDockWidget*> group{&below};
    group += tabifiedDockWidgets(&below);
    const auto front =
        std::find_if(group.begin(), group.end(), [this](const auto* each) { return inSight(*each); });
    if (!inSight(main) || front == group.end()) return false;
    if ((*front)->x() != main.x() || (*front)->y() < main.y()) return false;  // somebody put it elsewhere
    const int height = room(main).height() + room(**front).height();
    for (const PanelKind& kind : panelKinds())
        if (QDockWidget* each = dock(kind.id); group.contains(each)) tabifyDockWidget(&main, each);
    main.raise();
    group << &main;
    for (QDockWidget* each : group) arranged_[each].setHeight(height * arrangedIn_.height() / this->height());
    return true;
}

void Workspace::resetLayout() {
    if (!open_) return;
    wanted_.clear();
    high_.clear();
    for (auto& [id, dock] : docks_) removeDockWidget(dock);
    arrange();
    distribute();
    moved_.start();
    Q_EMIT layoutChanged();
}

bool Workspace::restoreLayout(const QByteArray& layout) {
    if (!put(layout)) return false;
    high_.clear();
    // Qt scales what it restores into the size of the moment, and what was squeezed there stays so.
    settled_ = isVisible();
    wanted_ = settled_ ? QByteArray() : layout;
    showTitles();
    return true;
}

void Workspace::settle() {
    if (!open_ || settled_ || width() < px(200)) return;
    settled_ = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!wanted_.isEmpty()) return void(put(std::exchange(wanted_, {})));
            distribute();
            moved_.start();
        },
        Qt::QueuedConnection);
}

bool Workspace::inSight(const QDockWidget& dock) const {
    return dock.isVisible() && !dock.isFloating() &&
           rect().contains(dock.pos());  // Qt keeps tabs behind outside
}

QSize Workspace::room(const QDockWidget& dock) const {
    for (const QTabBar* tabs : findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        if (tabs->isVisible() && tabs->geometry().adjusted(0, 1, 0, 1).intersects(dock.geometry()))
            return dock.geometry().united(tabs->geometry()).size();
    return dock.size();
}

QByteArray Workspace::saveLayout() const {
    if (!high_.isEmpty()) return high_;
    QMap<QString, QSize> sizes;
    for (const auto& [dock, size] : arranged_) sizes[dock->objectName()] = size;
    QByteArray out;
    QDataStream(&out, QIODevice::WriteOnly) << kLayoutMark << saveState() << arrangedIn_ << sizes;
    return out;
}

bool Workspace::put(const QByteArray& layout) {
    quint32 mark = 0;
    QByteArray places;
    QSize in;
    QMap<QString, QSize> sizes;
    QDataStream stream(layout);
    stream >> mark;
    if (mark == kLayoutMark) stream >> places >> in >> sizes;  // else one of before there were shares
    const bool own = mark == kLayoutMark && stream.status() == QDataStream::Ok;
    if (!restoreState(own ? places : layout)) return false;
    arranged_.clear();
    arrangedIn_ = in;
    if (own && !in.isEmpty())
        for (const auto& [id, dock] : docks_)
            if (const auto kept = sizes.find(dock->objectName()); kept != sizes.end())
                arranged_[dock] = *kept;
    // Restoring moves docks too, yet nobody did.
    moved_.stop();
    (arranged_.empty() ? moved_ : resized_).start();
    return true;
}

void Workspace::remember() {
    if (!isVisible() || !settled_) return;
    layout()->activate();
    high_.clear();
    arrangedIn_ = size();
    arranged_.clear();
    for (const auto& [id, dock] : docks_) {
        if (!inSight(*dock)) continue;
        arranged_[dock] = room(*dock);
        for (QDockWidget* behind : tabifiedDockWidgets(dock)) arranged_[behind] = arranged_[dock];
    }
    stack();
}

void Workspace::keepShares() {
    if (!isVisible() || !settled_ || arranged_.empty()) return;
    stack();
    QList<QDockWidget*> shown;
    QList<int> widths, heights;
    for (const auto& [dock, then] : arranged_) {
        if (!inSight(*dock)) continue;
        shown << dock;
        widths << qRound(1.0 * then.width() * width() / arrangedIn_.width());
        heights << qRound(1.0 * then.height() * height() / arrangedIn_.height());
    }
    resizeDocks(shown, widths, Qt::Horizontal);
    resizeDocks(shown, heights, Qt::Vertical);
}

bool Workspace::event(QEvent* event) {
    const bool done = QMainWindow::event(event);
    // Only the end of a border's drag is accepted here.
    if (event->type() == QEvent::MouseButtonRelease && event->isAccepted()) moved_.start();
    return done;
}

void Workspace::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    settle();
    resized_.start();
}

void Workspace::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    settle();
}

bool Workspace::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && isVisible()) Q_EMIT layoutChanged();  // a border was dragged
    return QMainWindow::eventFilter(watched, event);
}

views::Panel* Workspace::panel(const QString& id) const {
    for (views::Panel* panel : panels_)
        if (panel->panelId() == id) return panel;
    return nullptr;
}

QDockWidget* Workspace::dock(const QString& id) const {
    const auto found = docks_.find(id);
    return found == docks_.end() ? nullptr : found->second;
}

QDockWidget* Workspace::reveal(const QString& id) {
    QDockWidget* shown = dock(id);
    if (shown == nullptr) return nullptr;
    shown->show();
    shown->raise();
    return shown;
}

}  // namespace kurve::studio
