#pragma once

#include <QList>
#include <QString>
#include <cstddef>
#include <utility>
#include <vector>

#include "views/common/theme.h"
#include "views/compare/compared_run.h"

namespace kurve::views {

/// Compared runs put together by what they have in common: seeds of the same settings, say.
class RunGrouping {
public:
    struct Group {
        QString title;  ///< "data.kind = kd"; of the same settings what the members' names have in common
        QString tip;    ///< in what the groups differ, and the members
        std::vector<std::size_t> members;  ///< places among the runs
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
    /// How the n-th group looks in chart and table.
    [[nodiscard]] static RunStyle style(std::size_t group);

private:
    void nameBySeeds(const std::vector<ComparedRun>& runs);

    bool isOn_ = false;
    std::vector<Group> groups_;
};

}  // namespace kurve::views
