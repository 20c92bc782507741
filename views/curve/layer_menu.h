#pragma once

#include <QMenu>

namespace kurve::views {

/// A menu of layers to show or hide, each with an eye; stays open while eyes are clicked.
class LayerMenu : public QMenu {
    Q_OBJECT
public:
    explicit LayerMenu(QWidget* parent = nullptr);
    /// `action` is checkable; its button gets the object name.
    void addLayer(QAction* action, const QString& objectName);
    [[nodiscard]] const QList<QAction*>& layers() const { return actions_; }
    /// A widget under the last layer (how many steps, …).
    void addExtra(const QString& label, QWidget* control);

private:
    void restyle();
    QWidget* rows_;
    QList<QAction*> actions_;
};

}  // namespace kurve::views
