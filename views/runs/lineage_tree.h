#pragma once

#include <QTreeWidget>
#include <cstdint>
#include <string>
#include <vector>

#include "views/common/run_catalog.h"

namespace kurve::views {

/// A run among its kin.
struct KinNode {
    std::string id;
    int depth = 0;  ///< 0: where the family began
    enum class Link : unsigned char {
        Root,
        Fork,
        Repeat,
        Gone
    } link = Link::Root;     ///< Gone: not in the project
    std::int64_t step = -1;  ///< of the checkpoint it was forked from
    friend bool operator==(const KinNode&, const KinNode&) = default;
};

/// The whole family of a run, each below what it came from, in the order of the steps where they left it;
/// only the run itself if it has no kin. Circles in damaged records end where they began.
[[nodiscard]] std::vector<KinNode> kinOf(const std::vector<store::RunSummary>& runs, const std::string& id);

/// Forks, exact repetitions and resumes about one run, as a tree; away while there are none. A click or Enter
/// asks for the run.
class LineageTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit LineageTree(QWidget* parent = nullptr);
    /// `maybeData` of the run: where it was resumed.
    void setRun(const QString& id, const RunData* maybeData, const RunCatalog& catalog);

Q_SIGNALS:
    void runRequested(const QString& id);

private:
    /// What is shown of a node.
    struct Line {
        QString id, title, how, tip;
        int depth = 0;
        bool gone = false;
        friend bool operator==(const Line&, const Line&) = default;
    };
    [[nodiscard]] static std::vector<Line> linesOf(const QString& id, const RunData* maybeData,
                                                   const RunCatalog& catalog);
    [[nodiscard]] static Line resumedAt(std::int64_t step, int depth);
    void show(const std::vector<Line>& lines);
    void choose(const QTreeWidgetItem* item);

    QString shownRun_;
    std::vector<Line> lines_;
};

}  // namespace kurve::views
