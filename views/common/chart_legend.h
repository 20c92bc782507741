#pragma once

#include <QColor>
#include <QLabel>
#include <vector>

namespace kurve::views {

/// The line beside a chart's title: which curve is which, and where each stands now. Where room is scarce
/// names go before values and the last curves before the first; the tooltip has everything.
class ChartLegend : public QLabel {
    Q_OBJECT
public:
    explicit ChartLegend(QWidget* parent = nullptr);
    struct Entry {
        QColor color;
        QString glyph;
        QString name, value;
        bool minor = false;  ///< a reference: its name is the first to go
    };
    void setEntries(std::vector<Entry> entries);
    /// A word instead of entries.
    void setNote(const QString& note);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// How much is left out.
    enum class Names { All, Major, None };
    [[nodiscard]] QString textOf(std::size_t count, Names names) const;
    void fit();

    std::vector<Entry> entries_;
};

}  // namespace kurve::views
