#include "views/runs/run_groups.h"

#include <QObject>
#include <QStringList>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "views/common/text/field_text.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr const char* kIds[kRunGroupBys] = {"none", "family", "experiment", "sweep", "tag"};

/// The labels of the settings in which the runs differ: what the sweep is over.
QString varying(const std::vector<const store::RunSummary*>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const store::RunSummary* run : runs)
        for (const auto& [key, value] : run->settings) values[key].insert(value);
    QStringList keys;
    for (const auto& [key, of] : values)
        if (of.size() > 1) keys << fieldLabel(key);
    return keys.join(QStringLiteral(", "));
}

}  // namespace

QString groupingId(RunGroupBy by) {
    return QLatin1String(kIds[static_cast<int>(by)]);
}

RunGroupBy groupingOf(const QString& id) {
    for (int i = 0; i < kRunGroupBys; ++i)
        if (id == QLatin1String(kIds[i])) return static_cast<RunGroupBy>(i);
    return RunGroupBy::None;
}

QString groupKey(const store::RunSummary& run, RunGroupBy by) {
    if (by == RunGroupBy::None) return {};
    if (by == RunGroupBy::Family) return qt(run.family);
    if (by == RunGroupBy::Tag) return qt(join(run.tags, ", "));
    std::string key = std::filesystem::path(run.experiment).stem().string();
    if (by == RunGroupBy::Sweep)
        for (const auto& setting : run.settings) key += '\n' + setting.first;
    return qt(key);
}

std::vector<RunGroup> groupsOf(const std::vector<const store::RunSummary*>& runs, RunGroupBy by) {
    if (by == RunGroupBy::None) return {};
    std::map<QString, std::vector<const store::RunSummary*>> members;
    for (const store::RunSummary* run : runs) members[groupKey(*run, by)].push_back(run);
    std::vector<RunGroup> groups;
    for (const auto& [key, of] : members) {
        QString title = key.section(QLatin1Char('\n'), 0, 0);
        if (title.isEmpty())
            title = by == RunGroupBy::Tag ? QObject::tr("no tag") : QObject::tr("no experiment");
        if (const QString over = by == RunGroupBy::Sweep ? varying(of) : QString(); !over.isEmpty())
            title = QStringLiteral("%1: %2").arg(title, over);
        groups.push_back({key, title});
    }
    return groups;
}

}  // namespace kurve::views
