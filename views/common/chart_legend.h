#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

namespace kurve::views {

/// The line beside a chart's title, or the two lines below it: which curve is which, and where each stands
/// now. Where room is scarce names are shortened to what tells them apart, then go before values and the last
/// curves before the first; the tooltip has everything. It is painted, not a label with rich text: its
/// numbers change with every point, and must not lay out the window again.
class ChartLegend : public QWidget {
    Q_OBJECT
public:
    explicit ChartLegend(QWidget* parent = nullptr);
    struct Entry {
        QColor color;
        QString glyph;
        QString name, value;
        bool minor = false;  ///< a reference: its name is the first to go

        bool operator==(const Entry&) const = default;
    };
    void setEntries(std::vector<Entry> entries);
    /// 1 at first. With several the entries stand from the left, each whole in its line.
    void setMostLines(int lines);
    /// Values go before names: nothing else says which curve is which. Off at first.
    void setNamesFirst(bool on);
    /// How wide one line with every name must be, at its shortest that still reads well: does not change with
    /// the numbers.
    [[nodiscard]] int widthWithNames() const;
    /// A word instead of entries.
    void setNote(const QString& note);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// What there is room for.
    [[nodiscard]] QString text() const;
    /// Just wide enough for text().
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// How much is left out.
    enum class Names { All, Short, Shorter, Major, None };
    struct Detail {
        Names names = Names::All;
        bool values = true;
    };
    struct Piece {
        QString text;
        QColor color;
        bool strong = false;
    };
    [[nodiscard]] static QString shown(const QString& name, Names names, const QStringList& all);
    using Line = std::vector<Piece>;
    [[nodiscard]] Line piecesOf(const Entry& entry, Detail detail, const QStringList& all) const;
    /// Of the first `count`; empty if they do not fit.
    [[nodiscard]] std::vector<Line> linesOf(std::size_t count, Detail detail) const;
    [[nodiscard]] int widthOf(const Line& pieces) const;
    [[nodiscard]] QFont fontOf(const Piece& piece) const;
    void fit();

    std::vector<Entry> entries_;
    QString note_;
    std::vector<Line> lines_;
    int mostLines_ = 1;
    bool namesFirst_ = false;
};

}  // namespace kurve::views
