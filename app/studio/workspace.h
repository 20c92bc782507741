#pragma once

#include <QMainWindow>
#include <QTimer>
#include <functional>
#include <map>

#include "app/studio/panels.h"

class QDockWidget;

namespace kurve::studio {

/// The centre of the window for one job: the panels of a workspace as docks that split, tab, float and come
/// back. Panels are made when the workspace is first opened.
class Workspace : public QMainWindow {
    Q_OBJECT
public:
    Workspace(WorkspaceId id, views::StudioContext context, QWidget* parent = nullptr);
    [[nodiscard]] WorkspaceId id() const { return id_; }
    /// Makes the panels (once) and puts them where `layout` says, or at their places if it is empty or does
    /// not fit.
    void open(const QByteArray& layout);
    [[nodiscard]] bool isOpen() const { return open_; }
    void resetLayout();
    /// Where the docks are and which shares they were given, however small the window is now.
    [[nodiscard]] QByteArray saveLayout() const;
    /// Puts the docks of an open workspace where saveLayout() found them; false if `layout` is none.
    bool restoreLayout(const QByteArray& layout);
    [[nodiscard]] views::Panel* panel(const QString& id) const;
    [[nodiscard]] QDockWidget* dock(const QString& id) const;
    /// Brings a panel of an open workspace to the front, also one that was closed; its dock, or null.
    QDockWidget* reveal(const QString& id);
    [[nodiscard]] const std::vector<views::Panel*>& panels() const { return panels_; }

Q_SIGNALS:
    void panelMade(kurve::views::Panel* panel);
    void layoutChanged();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void arrange();
    void distribute();
    void showTitles();
    /// Shares, or what was restored, mean something only once the workspace has its size.
    void settle();
    [[nodiscard]] bool inSight(const QDockWidget& dock) const;
    /// What the layout gives to a dock: itself and the tabs above it.
    [[nodiscard]] QSize room(const QDockWidget& dock) const;
    bool put(const QByteArray& layout);
    /// The docks' sizes are as somebody wants them.
    void remember();
    /// Where the workspace is so low that a main view would have too little, what lies below it becomes a tab
    /// of it until there is room again.
    void stack();
    bool tabUp(QDockWidget& main, QDockWidget& below);
    /// Gives the docks the shares of then: Qt divides anew at every size, and what was squeezed once stays
    /// so.
    void keepShares();

    WorkspaceId id_;
    views::StudioContext context_;
    bool open_ = false, settled_ = false;
    QByteArray wanted_;                       ///< a layout that waits for the workspace's size
    QByteArray high_;                         ///< saveLayout() before stack() made tabs; empty: it made none
    QSize arrangedIn_;                        ///< the workspace's size when remember() was called
    std::map<QDockWidget*, QSize> arranged_;  ///< the docks' sizes then
    QTimer titles_, moved_, resized_;
    std::vector<views::Panel*> panels_;
    std::map<QString, QDockWidget*> docks_;
};

}  // namespace kurve::studio
