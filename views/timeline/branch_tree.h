#pragma once

#include <QTreeWidget>

#include "core/inspect/intervention.h"
#include "views/common/data/background.h"

namespace kurve::views {

/// The trace that is shown, its ancestors and its branches: a line each, named by the change. A click, or
/// Enter, selects one.
class BranchTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit BranchTree(QWidget* parent = nullptr);
    /// Reads the tree on a worker and marks `shown` in it. An empty path empties it.
    void follow(const std::filesystem::path& shown);

Q_SIGNALS:
    void selected(const QString& file);

private:
    void fill(const inspect::BranchNode& root);
    void add(QTreeWidgetItem* above, const inspect::BranchNode& node);

    std::filesystem::path shown_;
    Background reading_;
};

}  // namespace kurve::views
