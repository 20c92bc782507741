#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

namespace kurve::views {

/// The legend beside a chart's title, or in two lines below it: the names of the curves and their last
/// values. In a narrow chart names are elided to distinguishing labels, then values are dropped, and the last
/// curves before the first; a value alone is left only of a single curve, which the title names. The tooltip
/// has everything. It is painted, not a rich-text label: its
/// numbers change with every point, and must not lay out the window again.
class ChartLegend : public QWidget {
    Q_OBJECT
public:
    explicit ChartLegend(QWidget* parent = nullptr);
    struct Entry {
        QColor color;
        QString glyph;
        QString name, value;

        bool operator==(const Entry&) const = default;
    };
    void setEntries(std::vector<Entry> entries);
    /// 1 by default. With several lines the entries are left-aligned, each in one line.
    void setMostLines(int lines);
    /// A single curve's value is dropped before its name, too. Off by default.
    void setNamesFirst(bool on);
    /// The minimum width of one line with every elided name: independent of the numbers.
    [[nodiscard]] int widthWithNames() const;
    /// A note instead of entries.
    void setNote(const QString& note);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// The text that is shown.
    [[nodiscard]] QString text() const;
    /// Just wide enough for text().
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// The level of detail.
    enum class Names { All, Short, Shorter, None };
    struct Detail {
        Names names = Names::All;
        bool values = true;
    };
    struct Span {
        QString text;
        QColor color;
        bool strong = false;
    };
    [[nodiscard]] static QString shown(const QString& name, Names names, const QStringList& all);
    using Line = std::vector<Span>;
    [[nodiscard]] Line spansOf(const Entry& entry, Detail detail, const QStringList& all) const;
    /// Of the first `count`; empty if they do not fit.
    [[nodiscard]] std::vector<Line> linesOf(std::size_t count, Detail detail) const;
    [[nodiscard]] int widthOf(const Line& spans) const;
    [[nodiscard]] QFont fontOf(const Span& span) const;
    void fit();

    std::vector<Entry> entries_;
    QString note_;
    std::vector<Line> lines_;
    int mostLines_ = 1;
    bool namesFirst_ = false;
};

}  // namespace kurve::views
