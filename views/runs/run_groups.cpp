#include "views/runs/run_groups.h"

#include <QCoreApplication>
#include <QStringList>
#include <filesystem>
#include <map>
#include <set>

#include "views/common/text/field_text.h"

namespace kurve::views {

namespace {

constexpr const char* kIds[kRunGroupBys] = {"none", "family", "experiment", "sweep", "tag"};

QString tr(const char* text) {
    return QCoreApplication::translate("runs", text);
}

QString titleOfMissing(RunGroupBy by) {
    return by == RunGroupBy::Tag ? tr("no tag") : tr("no experiment");
}

std::string nameOf(const std::string& experiment) {
    return std::filesystem::path(experiment).stem().string();
}

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
    std::string key;
    switch (by) {
        case RunGroupBy::None:
            break;
        case RunGroupBy::Family:
            key = run.family;
            break;
        case RunGroupBy::Experiment:
            key = nameOf(run.experiment);
            break;
        case RunGroupBy::Sweep:
            key = nameOf(run.experiment);
            for (const auto& setting : run.settings) key += '\n' + setting.first;
            break;
        case RunGroupBy::Tag:
            for (const std::string& tag : run.tags) key += (key.empty() ? "" : ", ") + tag;
            break;
    }
    return QString::fromStdString(key);
}

std::vector<RunGroup> groupsOf(const std::vector<const store::RunSummary*>& runs, RunGroupBy by) {
    if (by == RunGroupBy::None) return {};
    std::map<QString, std::vector<const store::RunSummary*>> members;
    for (const store::RunSummary* run : runs) members[groupKey(*run, by)].push_back(run);
    std::vector<RunGroup> groups;
    for (const auto& [key, of] : members) {
        QString title = key.section(QLatin1Char('\n'), 0, 0);
        if (title.isEmpty()) title = titleOfMissing(by);
        if (const QString over = by == RunGroupBy::Sweep ? varying(of) : QString(); !over.isEmpty())
            title = QStringLiteral("%1: %2").arg(title, over);
        groups.push_back({key, title, static_cast<int>(of.size())});
    }
    return groups;
}

}  // namespace kurve::views
