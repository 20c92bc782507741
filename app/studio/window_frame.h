#pragma once

#include <QJsonArray>
#include <QSplitter>
#include <array>

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
    /// The widths wished for the runs, the centre at least, and the inspector, as they are without zoom; 0 is
    /// folded away. Neither zoom nor a small window changes them.
    [[nodiscard]] QJsonArray columns() const;
    /// Takes what columns() gave for a window of this width; false, and nothing changes, if it is damaged.
    bool setColumns(const QJsonArray& columns, int windowWidth);
    /// What is folded away needs no room.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// By column.
    template <class T>
    using Columns = std::array<T, 3>;
    [[nodiscard]] bool isFolded(int column) const;
    [[nodiscard]] Columns<bool> folded() const { return {isFolded(Runs), false, isFolded(Inspector)}; }
    void pulled(int handle);
    void moved(Side side);
    /// The wishes, less what the centre lacks.
    [[nodiscard]] Columns<int> narrowed(int all, const Columns<bool>& folded) const;
    void share(int all, const Columns<bool>& mayFold);

    Columns<double> wished_{};  ///< without zoom
    Columns<bool> opened_{};    ///< by hand, in this window
};

}  // namespace kurve::studio
