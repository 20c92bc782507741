#pragma once

#include <vector>

#include "views/common/table/frozen_table.h"

namespace kurve::views {

/// A table with a column for each run: columns as wide as their cells need that share the free width, titles
/// shortened to distinguishing labels. The first column is frozen.
class RunColumnsTable : public FrozenTable {
    Q_OBJECT
public:
    RunColumnsTable(QAbstractItemModel* model, const QString& name, const QString& accessibleName,
                    QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;

private:
    [[nodiscard]] int needed(int column) const;
    void fit();
};

}  // namespace kurve::views
