#pragma once

#include <QTableView>

namespace kurve::views {

/// A table with a column for each run: columns as wide as their cells need and sharing what room is left,
/// titles shortened to what tells the runs apart.
class RunColumnsTable : public QTableView {
    Q_OBJECT
public:
    RunColumnsTable(QAbstractItemModel* model, const QString& name, const QString& accessibleName,
                    QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] int needed(int column) const;
    void fit();
};

}  // namespace kurve::views
