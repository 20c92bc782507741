#pragma once

#include <QWidget>
#include <vector>

class QGridLayout;

namespace kurve::views {

/// Charts in one or two columns, as the width allows; hidden ones keep their place.
class ChartGrid : public QWidget {
    Q_OBJECT
public:
    explicit ChartGrid(QWidget* parent = nullptr);
    void setCharts(std::vector<QWidget*> charts);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    [[nodiscard]] int wantedColumns() const;

    std::vector<QWidget*> charts_;
    QGridLayout* grid_;
    int columns_ = 0;
};

}  // namespace kurve::views
