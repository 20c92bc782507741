#include "app/studio/window/workspace.h"

#include <QDataStream>
#include <QDockWidget>
#include <QMap>
#include <QPaintEvent>
#include <QResizeEvent>
#include <QTabBar>
#include <map>
#include <utility>

#include "app/studio/window/panel_scroll_area.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using views::px;

namespace {

constexpr quint32 kLayoutMark = 0x4b764c32;  // "KvL2": no QMainWindow state begins so
constexpr int kMainHeight = 300;             ///< of a main view, with its bars
constexpr int kWide = 1300;                  ///< two main views stand beside each other from here on

bool isFirst(const PanelKind& kind) {
    return kind.placement == DockPlacement::First || kind.placement == DockPlacement::Bar;
}

/// How a workspace of some size is divided: each split takes from what the previous one left to its anchor.
struct Split {
    const PanelKind* kind;
    int rest, part;  ///< the anchor's, the panel's
    bool across;
};
bool isAcross(const PanelKind& kind, int width) {
    return kind.placement == DockPlacement::Right ||
           (kind.placement == DockPlacement::Beside && width >= px(kWide));
}
std::vector<Split> splitsOf(WorkspaceId id, QSize all) {
    std::map<QString, QSize> sizes;
    std::vector<Split> splits;
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id || kind.placement == DockPlacement::Tab) continue;
        if (isFirst(kind)) {
            sizes[kind.id] = all;
            continue;
        }
        QSize& left = sizes[kind.anchor];
        QSize own = left;
        const bool across = isAcross(kind, all.width());
        int& rest = across ? left.rwidth() : left.rheight();
        int& part = across ? own.rwidth() : own.rheight();
        part = rest * kind.percent / 100;
        rest -= part;
        splits.push_back({&kind, rest, part, across});
        sizes[kind.id] = own;
    }
    return splits;
}

/// Qt's draws its title again, icons included, whenever anything in its panel is painted.
class PanelDock final : public QDockWidget {
public:
    using QDockWidget::QDockWidget;

protected:
    void paintEvent(QPaintEvent* event) override {
        const bool below = !isFloating() && widget() && event->rect().top() >= widget()->geometry().top();
        if (!below) QDockWidget::paintEvent(event);
    }
};

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
         {std::pair(&moved_, &Workspace::recordSizes), {&resized_, &Workspace::keepProportions}}) {
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
        auto* dock = new PanelDock(kind.title, this);
        dock->setObjectName(QStringLiteral("dock.") + kind.id);
        auto* area = new PanelScrollArea(panel);
        if (kind.states) area->addStatement();
        dock->setWidget(area);
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
    for (views::Panel* panel : panels_) {
        replaceWhileEmpty(*panel);
        Q_EMIT panelMade(panel);
    }
}

void Workspace::arrange() {
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id_) continue;
        QDockWidget* dock = docks_[kind.id];
        QDockWidget* anchor = this->dock(kind.anchor);
        dock->setFloating(false);
        if (!anchor || isFirst(kind))
            addDockWidget(Qt::LeftDockWidgetArea, dock);
        else if (kind.placement == DockPlacement::Tab)
            tabifyDockWidget(anchor, dock);
        else
            splitDockWidget(anchor, dock, isAcross(kind, width()) ? Qt::Horizontal : Qt::Vertical);
        dock->show();
    }
    // The first of several tabs is the one in front.
    for (const PanelKind& kind : panelKinds())
        if (kind.workspace == id_ && kind.placement != DockPlacement::Tab) docks_[kind.id]->raise();
}

void Workspace::showTitles() {
    for (const QTabBar* tabs : findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        connect(tabs, &QTabBar::tabBarDoubleClicked, this, &Workspace::maximiseTab, Qt::UniqueConnection);
    for (auto& [id, dock] : docks_) {
        const bool named = !tabifiedDockWidgets(dock).isEmpty() || docks_.size() == 1 ||
                           kindOf(id)->placement == DockPlacement::Bar;
        const bool plain = named && !dock->isFloating();  // a tab already has the title
        if (plain == (dock->titleBarWidget() != nullptr)) continue;
        QWidget* old = dock->titleBarWidget();
        dock->setTitleBarWidget(plain ? new QWidget : nullptr);
        delete old;
    }
}

void Workspace::distribute() {
    for (const Split& split : splitsOf(id_, size()))
        resizeDocks({dock(split.kind->anchor), dock(split.kind->id)}, {split.rest, split.part},
                    split.across ? Qt::Horizontal : Qt::Vertical);
}

void Workspace::stack() {
    std::vector<const PanelKind*> low;
    for (const Split& split : splitsOf(id_, size()))
        if (!split.across && !isFirst(*kindOf(split.kind->anchor)) && split.rest < px(kMainHeight))
            low.push_back(split.kind);
    if (low.empty() == unstacked_.isEmpty()) return;
    if (low.empty()) return void(put(std::exchange(unstacked_, {})));
    const QByteArray before = saveLayout();
    bool any = false;
    for (const PanelKind* kind : low) any = tabUp(*dock(kind->anchor), *dock(kind->id)) || any;
    if (!any) return;
    unstacked_ = before;
    moved_.stop();  // not by the user
    resized_.start();
}

bool Workspace::tabUp(QDockWidget& main, QDockWidget& below) {
    QList<QDockWidget*> group = tabGroup(&below);
    const auto front =
        std::find_if(group.begin(), group.end(), [this](const auto* each) { return isInFront(*each); });
    if (!isInFront(main) || front == group.end()) return false;
    if ((*front)->x() != main.x() || (*front)->y() < main.y()) return false;  // the user moved it
    const int height = tabbedSize(main).height() + tabbedSize(**front).height();
    for (const PanelKind& kind : panelKinds())
        if (QDockWidget* each = dock(kind.id); group.contains(each)) tabifyDockWidget(&main, each);
    main.raise();
    group << &main;
    for (QDockWidget* each : group) arranged_[each].setHeight(height * arrangedIn_.height() / this->height());
    return true;
}

void Workspace::resetLayout() {
    if (!open_) return;
    pendingLayout_.clear();
    unstacked_.clear();
    unmaximised_.clear();
    for (auto& [id, dock] : docks_) removeDockWidget(dock);
    arrange();
    distribute();
    moved_.start();
    Q_EMIT layoutChanged();
}

bool Workspace::restoreLayout(const QByteArray& layout) {
    if (!put(layout)) return false;
    unstacked_.clear();
    unmaximised_.clear();
    // Qt scales what it restores into the size of the moment, and what was squeezed there stays so.
    settled_ = isVisible();
    pendingLayout_ = settled_ ? QByteArray() : layout;
    showTitles();
    return true;
}

void Workspace::settle() {
    if (!open_ || settled_ || width() < px(200)) return;
    settled_ = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!pendingLayout_.isEmpty()) return void(put(std::exchange(pendingLayout_, {})));
            layout()->activate();
            if (!reorient({})) distribute();
            moved_.start();
        },
        Qt::QueuedConnection);
}

std::optional<bool> Workspace::isBeside(const PanelKind& kind) const {
    const QDockWidget* anchor = dock(kind.anchor);
    if (!isInFront(*anchor)) return {};
    for (const QDockWidget* each : tabGroup(dock(kind.id))) {
        if (!isInFront(*each)) continue;
        if (each->x() > anchor->geometry().right()) return true;
        if (each->y() > anchor->geometry().bottom()) return false;
    }
    return {};
}

QList<QDockWidget*> Workspace::tabGroup(QDockWidget* dock) const {
    QList<QDockWidget*> group{dock};
    group += tabifiedDockWidgets(dock);
    return group;
}

QSize Workspace::minimumSizeHint() const {
    QSize least = QMainWindow::minimumSizeHint();
    int widest = 0;
    for (const auto& [id, dock] : docks_) widest = std::max(widest, dock->minimumSizeHint().width());
    const bool turns = std::any_of(panelKinds().begin(), panelKinds().end(), [this](const PanelKind& kind) {
        return kind.workspace == id_ && kind.placement == DockPlacement::Beside;
    });
    if (turns && open_) least.setWidth(std::min(least.width(), widest));
    return least;
}

bool Workspace::reorient(std::optional<int> arrangedWidth) {
    bool any = false;
    for (const PanelKind& kind : panelKinds()) {
        if (kind.workspace != id_ || kind.placement != DockPlacement::Beside) continue;
        const bool across = isAcross(kind, width());
        const std::optional<bool> now = isBeside(kind);
        if (!now || *now == across || (arrangedWidth && *now != isAcross(kind, *arrangedWidth))) continue;
        QDockWidget* own = dock(kind.id);
        const QList<QDockWidget*> group = tabGroup(own);
        const auto front =
            std::find_if(group.begin(), group.end(), [this](const auto* each) { return isInFront(*each); });
        QDockWidget* shown = *front;
        splitDockWidget(dock(kind.anchor), own, across ? Qt::Horizontal : Qt::Vertical);
        for (QDockWidget* each : group)
            if (each != own) tabifyDockWidget(own, each);
        shown->raise();
        any = true;
    }
    if (any) distribute();
    return any;
}

bool Workspace::isInFront(const QDockWidget& dock) const {
    return dock.isVisible() && !dock.isFloating() &&
           rect().contains(dock.pos());  // Qt keeps tabs behind outside
}

QSize Workspace::tabbedSize(const QDockWidget& dock) const {
    if (tabifiedDockWidgets(const_cast<QDockWidget*>(&dock)).isEmpty()) return dock.size();
    for (const QTabBar* tabs : findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        if (tabs->isVisible() && tabs->geometry().adjusted(0, 1, 0, 1).intersects(dock.geometry()))
            return dock.geometry().united(tabs->geometry()).size();
    return dock.size();
}

QByteArray Workspace::saveLayout() const {
    if (isMaximised()) return layoutBefore_;
    if (!unstacked_.isEmpty()) return unstacked_;
    QMap<QString, QSize> sizes;
    for (const auto& [dock, size] : arranged_) sizes[dock->objectName()] = size;
    QByteArray out;
    QDataStream(&out, QIODevice::WriteOnly)
        << kLayoutMark << saveState() << arrangedIn_ << sizes << views::theme().scale;
    return out;
}

bool Workspace::put(const QByteArray& layout) {
    quint32 mark = 0;
    QByteArray docks;
    QSize in;
    QMap<QString, QSize> sizes;
    double scale = 1;
    QDataStream stream(layout);
    stream >> mark;
    if (mark == kLayoutMark) stream >> docks >> in >> sizes >> scale;
    if (mark != kLayoutMark || stream.status() != QDataStream::Ok || !restoreState(docks)) return false;
    arranged_.clear();
    const double zoomed = views::theme().scale / std::max(scale, 0.1);
    arrangedIn_ = in * zoomed;
    if (!in.isEmpty())
        for (const auto& [id, dock] : docks_)
            if (const auto saved = sizes.find(dock->objectName()); saved != sizes.end())
                arranged_[dock] = *saved * zoomed;
    // Restoring moves docks too, but not by the user.
    moved_.stop();
    (arranged_.empty() ? moved_ : resized_).start();
    return true;
}

void Workspace::recordSizes() {
    if (!isVisible() || !settled_ || isMaximised()) return;
    layout()->activate();
    unstacked_.clear();
    arrangedIn_ = size();
    arranged_.clear();
    for (const auto& [id, dock] : docks_) {
        if (!isInFront(*dock)) continue;
        arranged_[dock] = tabbedSize(*dock);
        for (QDockWidget* behind : tabifiedDockWidgets(dock)) arranged_[behind] = arranged_[dock];
    }
    stack();
}

void Workspace::keepProportions() {
    if (!isVisible() || !settled_ || arranged_.empty() || isMaximised()) return;
    if (reorient(arrangedIn_.width())) return moved_.start();
    stack();
    QList<QDockWidget*> shown;
    QList<int> widths, heights;
    for (const auto& [dock, then] : arranged_) {
        if (!isInFront(*dock)) continue;
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
    // Qt's own answer to this is a floating window, which the button beside the title makes, too.
    if (auto* dock = qobject_cast<QDockWidget*>(watched);
        dock != nullptr && !dock->isFloating() && event->type() == QEvent::MouseButtonDblClick) {
        toggleMaximised(*dock);
        return true;
    }
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
    if (isMaximised() && !shown->isVisible()) toggleMaximised(*shown);
    shown->show();
    shown->raise();
    return shown;
}

}  // namespace kurve::studio
