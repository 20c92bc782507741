#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QMap>
#include <QSplitter>
#include <array>
#include <optional>

#include "views/common/shell/panel.h"

namespace kurve::studio {

/// The three columns of the window: runs, the workspace, inspector. Each workspace has widths of its own.
class WindowFrame : public QSplitter {
    Q_OBJECT
public:
    struct Content {
        views::Panel* runs;
        QWidget* centre;
        views::Panel* inspector;
    };
    explicit WindowFrame(const Content& content, QWidget* parent = nullptr);
    /// Gives the sides their widths in this workspace; `folds`: by default they are folded there.
    void setWorkspace(const QString& name, bool folds);
    /// Gives the sides their default width for a window of this width; on a small screen (or at a large zoom)
    /// they are narrowed or folded.
    void arrange(int windowWidth);
    enum Side { Runs = 0, Inspector = 2 };
    void toggle(Side side);
    /// The preferred widths of runs, centre (minimum) and inspector, without zoom; 0 is folded. Neither zoom
    /// nor a small window changes them.
    [[nodiscard]] QJsonArray columns() const;
    /// Takes what columns() gave for a window of this width; false, and nothing changes, if it is damaged.
    bool setColumns(const QJsonArray& columns, int windowWidth);
    /// columns() of every workspace, by its name.
    [[nodiscard]] QJsonObject allColumns() const;
    bool setAllColumns(const QJsonObject& columns, int windowWidth);
    [[nodiscard]] bool isFolded(int column) const;
    /// Without the folded sides.
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A side was folded or opened, by the user or for want of space; also with every new size.
    void foldsChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// By column.
    template <class T>
    using Columns = std::array<T, 3>;
    [[nodiscard]] Columns<bool> folded() const { return {isFolded(Runs), false, isFolded(Inspector)}; }
    void handleMoved(int handle);
    void moved(Side side);
    void reportFolds();
    /// The preferred widths, less what the centre lacks.
    [[nodiscard]] Columns<int> narrowed(int all, const Columns<bool>& folded) const;
    void distribute(int all, const Columns<bool>& mayFold);

    struct Sides {
        Columns<double> preferred{};  ///< without zoom
        Columns<bool> opened{};       ///< by the user, in this window
    };
    [[nodiscard]] static Sides defaults(bool folds);
    [[nodiscard]] static std::optional<Columns<double>> widthsOf(const QJsonArray& columns);

    Sides now_;                   ///< of the workspace that is shown
    QMap<QString, Sides> other_;  ///< of those that were shown before
    QString workspace_;
    bool folds_ = false;
    Columns<bool> reported_{};
};

}  // namespace kurve::studio
