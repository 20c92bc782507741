#pragma once

#include <QWidget>
#include <vector>

#include "core/schedule/invariants.h"

class QVBoxLayout;

namespace kurve::views {

/// The conditions of a valid schedule, each with a mark, and a button that repairs it where points can.
class InvariantList : public QWidget {
    Q_OBJECT
public:
    explicit InvariantList(QWidget* parent = nullptr);
    void show(const std::vector<schedule::Finding>& findings);

Q_SIGNALS:
    void repaired(const kurve::schedule::Repair& repair);

private:
    void addRow(std::size_t index);
    QVBoxLayout* column_;
    std::vector<QWidget*> rows_;
    std::vector<schedule::Finding> findings_;
};

}  // namespace kurve::views
