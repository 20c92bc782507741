#pragma once

#include <QSplitter>

#include "views/common/panel.h"

namespace kurve::studio {

/// The window's three columns: runs, the workspace, inspector. The sides never move between workspaces.
class WindowFrame : public QSplitter {
    Q_OBJECT
public:
    struct Content {
        views::Panel* runs;
        QWidget* centre;
        views::Panel* inspector;
    };
    explicit WindowFrame(const Content& content, QWidget* parent = nullptr);
    /// Gives the sides their width for a window of this width: a small screen (or a large zoom) keeps its
    /// room for the centre.
    void arrange(int windowWidth);
    enum Side { Runs = 0, Inspector = 2 };
    void toggle(Side side);
    /// What is folded away needs no room.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] bool isFolded(int column) const;
};

}  // namespace kurve::studio
