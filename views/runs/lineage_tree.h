#pragma once

#include <QTreeWidget>
#include <cstdint>
#include <string>
#include <vector>

#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// A run in a lineage.
struct LineageNode {
    std::string id;
    int depth = 0;  ///< 0: the root
    enum class Link : unsigned char {
        Root,
        Fork,
        Reproduction,
        Missing
    } link = Link::Root;     ///< Missing: not in the project
    std::int64_t step = -1;  ///< of the checkpoint it was forked from
    friend bool operator==(const LineageNode&, const LineageNode&) = default;
};

/// The whole lineage of a run, each below its origin, in the order of the fork steps; only the run itself if
/// it has no relatives. Cycles in damaged records are cut.
[[nodiscard]] std::vector<LineageNode> lineageOf(const std::vector<store::RunSummary>& runs,
                                                 const std::string& id);

/// The forks, reproductions and resumes of a run as a tree, below it the runs that it was made with and those
/// made with it; hidden while there are none. A click or Enter
/// requests the run.
class LineageTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit LineageTree(QWidget* parent = nullptr);
    /// `maybeData`: the steps where the run was resumed.
    void setRun(const QString& id, const RunData* maybeData, const RunCatalog& catalog);

Q_SIGNALS:
    void runRequested(const QString& id);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A row of the tree.
    struct Line {
        QString id, title, relation, tip;
        int depth = 0;
        bool missing = false;
        friend bool operator==(const Line&, const Line&) = default;
    };
    [[nodiscard]] static std::vector<Line> linesOf(const QString& id, const RunData* maybeData,
                                                   const RunCatalog& catalog);
    static void addReferences(const QString& id, int depth, const RunCatalog& catalog,
                              std::vector<Line>& lines);
    void show(const std::vector<Line>& lines);
    void fitColumns();
    void choose(const QTreeWidgetItem* item);

    QString shownRun_;
    std::vector<Line> lines_;
};

}  // namespace kurve::views
