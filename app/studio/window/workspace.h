#pragma once

#include <QMainWindow>
#include <QTimer>
#include <map>
#include <optional>

#include "app/studio/panels.h"

class QDockWidget;

namespace kurve::studio {

/// A workspace in the centre of the window: its panels as docks. Panels are made when the workspace is first
/// opened.
class Workspace : public QMainWindow {
    Q_OBJECT
public:
    Workspace(WorkspaceId id, views::StudioContext context, QWidget* parent = nullptr);
    [[nodiscard]] WorkspaceId id() const { return id_; }
    /// Makes the panels (once) and arranges them by `layout`, or in the default layout if it is empty or does
    /// not fit.
    void open(const QByteArray& layout);
    [[nodiscard]] bool isOpen() const { return open_; }
    void resetLayout();
    /// Positions and proportions of the docks, independent of the present size of the window.
    [[nodiscard]] QByteArray saveLayout() const;
    /// Restores the docks of an open workspace; false if `layout` is invalid.
    bool restoreLayout(const QByteArray& layout);
    [[nodiscard]] views::Panel* panel(const QString& id) const;
    [[nodiscard]] QDockWidget* dock(const QString& id) const;
    /// Shows a panel of an open workspace, also one that was closed; its dock, or null.
    QDockWidget* reveal(const QString& id);
    [[nodiscard]] const std::vector<views::Panel*>& panels() const { return panels_; }
    /// Gives one dock the whole workspace; where one has it, restores the layout of before.
    void toggleMaximised(QDockWidget& dock);
    [[nodiscard]] bool isMaximised() const { return !unmaximised_.isEmpty(); }
    /// Docked, and not behind another tab.
    [[nodiscard]] bool isInFront(const QDockWidget& dock) const;
    /// The dock that holds the focus, else the first in front.
    [[nodiscard]] QDockWidget* currentDock() const;
    /// Panels beside each other go below each other where the window needs the width.
    [[nodiscard]] QSize minimumSizeHint() const override;

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
    /// Applies proportions, or a restored layout, once the workspace has its size.
    void settle();
    /// The size of a dock with the tabs above it.
    [[nodiscard]] QSize tabbedSize(const QDockWidget& dock) const;
    bool put(const QByteArray& layout);
    /// Takes the present sizes of the docks as the user's.
    void recordSizes();
    /// Where the workspace is too low for a main view, the docks below it become its tabs until there is
    /// space again.
    void stack();
    bool tabUp(QDockWidget& main, QDockWidget& below);
    /// Restores the proportions of the docks, which Qt changes with every resize.
    void keepProportions();
    /// Moves a panel that is placed beside another below it, or back, as the width asks; false if nothing
    /// moved. `arrangedWidth`: where the panels stood otherwise than that width asks, somebody put them so.
    bool reorient(std::optional<int> arrangedWidth);
    /// Whether it is now to the right of its anchor; none if it is neither there nor below.
    [[nodiscard]] std::optional<bool> isBeside(const PanelKind& kind) const;
    [[nodiscard]] QList<QDockWidget*> tabGroup(QDockWidget* dock) const;
    void maximiseTab(int index);
    /// The tab that follows the panel stands in for it while that is not available.
    void replaceWhileEmpty(const views::Panel& panel);

    WorkspaceId id_;
    views::StudioContext context_;
    bool open_ = false, settled_ = false;
    QByteArray pendingLayout_;                ///< a layout that waits for the workspace's size
    QByteArray unstacked_;                    ///< saveLayout() before stack() made tabs; empty: it made none
    QByteArray unmaximised_;                  ///< saveState() before a dock was maximised; empty: none is
    QByteArray layoutBefore_;                 ///< saveLayout() then
    QSize arrangedIn_;                        ///< the workspace's size when recordSizes() was called
    std::map<QDockWidget*, QSize> arranged_;  ///< the docks' sizes then
    QTimer titles_, moved_, resized_;
    std::vector<views::Panel*> panels_;
    std::map<QString, QDockWidget*> docks_;
};

}  // namespace kurve::studio
