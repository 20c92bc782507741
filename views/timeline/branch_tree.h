#pragma once

#include <QTreeWidget>

#include "views/common/background.h"
#include "views/timeline/what_if.h"

namespace kurve::views {

/// The recording that is shown, what it branched from and what branched from it: a line each, named by the
/// change. A click, or Enter, opens one.
class BranchTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit BranchTree(QWidget* parent = nullptr);
    /// Reads the tree anew on a worker and marks `shown` in it. An empty path empties it.
    void follow(const std::filesystem::path& shown);

Q_SIGNALS:
    void opened(const QString& file);

private:
    void fill(const BranchNode& root);
    void add(QTreeWidgetItem* above, const BranchNode& node);

    std::filesystem::path shown_;
    Background reading_;
};

}  // namespace kurve::views
