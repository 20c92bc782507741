#pragma once

#include <QList>
#include <QString>
#include <cstddef>
#include <utility>
#include <vector>

#include "views/common/theme/theme.h"
#include "views/compare/compared_run.h"

namespace kurve::views {

/// Compared runs grouped by common settings: seeds of the same experiment, say.
class RunGrouping {
public:
    struct Group {
        QString
            title;    ///< "data.distilled = true"; of the same settings the common part of the members' names
        QString tip;  ///< in what the groups differ, and the members
        std::vector<std::size_t> members;  ///< indices among the runs
    };
    /// Everything by which runs can be grouped, id and title: settings and family that differ, tags, all of
    /// them, and all settings but the seed.
    [[nodiscard]] static QList<std::pair<QString, QString>> keys(const std::vector<ComparedRun>& runs);
    /// True of ids that a second one can be joined to.
    [[nodiscard]] static bool canBeJoined(const QString& key);

    RunGrouping() = default;
    /// By one id of keys(), or two; an empty first one: every run is for itself and there are no groups.
    /// Runs that are not read yet belong to none.
    RunGrouping(const std::vector<ComparedRun>& runs, const QString& first, const QString& second = {});
    [[nodiscard]] bool isOn() const { return isOn_; }
    /// In the order of their titles, numbers as numbers.
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
    /// Null where the run is in none.
    [[nodiscard]] const Group* groupOf(std::size_t run) const;
    /// Style of the n-th group in chart and table.
    [[nodiscard]] static RunStyle style(std::size_t group);

private:
    void nameBySeeds(const std::vector<ComparedRun>& runs);

    bool isOn_ = false;
    std::vector<Group> groups_;
};

}  // namespace kurve::views
