#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;

namespace kurve::views {

/// Charts in one or two equal columns, as the width allows.
class ChartGrid : public QWidget {
    Q_OBJECT
public:
    explicit ChartGrid(QWidget* parent = nullptr);
    /// In this order; others that were given before are hidden.
    void setCharts(std::vector<QWidget*> charts);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the parent: its width decides

private:
    void arrange();
    [[nodiscard]] int wantedColumns() const;

    std::vector<QWidget*> charts_;
    QGridLayout* grid_;
    int columns_ = 0;
};

}  // namespace kurve::views
