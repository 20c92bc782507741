#pragma once

#include <QObject>
#include <QPointer>

#include "app/studio/session/project_session.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/panel.h"

namespace kurve::studio {

/// Exports any view of the window: as a figure in print style (svg, pdf, png) or as its data at full
/// resolution (csv, json, md), to a file or the clipboard; by shortcut for the focused view, by context menu
/// for the view under the mouse.
class ViewActions : public QObject {
    Q_OBJECT
public:
    ViewActions(ProjectSession& session, views::CommandRegistry& commands, QWidget* window);
    /// The panel's context menu is offered from now on.
    void watch(views::Panel& panel);
    /// Writes by the file's suffix; the outcome is said.
    void write(QWidget& view, const QString& file);
    void copyImage(QWidget& view);
    void copyData(QWidget& view, const char* format);  ///< "csv" or "md"
    [[nodiscard]] QString captionOf(const QWidget& view) const;

Q_SIGNALS:
    void said(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void ask(QWidget* view);
    /// The panel that has the focus, else the first visible one.
    [[nodiscard]] QWidget* focusedView() const;
    /// `own`: further actions of the part under the mouse.
    void openMenu(QWidget* view, const QList<QAction*>& own, const QPoint& position);

    ProjectSession& session_;
    QWidget* window_;
    std::vector<QPointer<views::Panel>> panels_;
};

}  // namespace kurve::studio
