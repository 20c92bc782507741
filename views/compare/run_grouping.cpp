#include "views/compare/run_grouping.h"

#include <QStringList>
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace kurve::views {

namespace {

const QString kAll = QStringLiteral("*"), kByFamily = QStringLiteral("family"),
              kByTag = QStringLiteral("tag"), kButSeed = QStringLiteral("~seed");
constexpr const char* kSeed = "seed";
const QString kNothing = QStringLiteral("–");

QString settingOf(const ComparedRun& run, const std::string& key) {
    const bool known = run.config && run.config->has(key);
    return known ? QString::fromStdString(fieldValueText(run.config->value(key))) : kNothing;
}

/// Values of every setting, to find those that differ.
std::map<std::string, std::set<QString>> valuesOf(const std::vector<ComparedRun>& runs) {
    std::map<std::string, std::set<QString>> values;
    for (const ComparedRun& run : runs) {
        if (!run.config) continue;
        for (const FieldSpec& field : run.config->schema().fields)
            values[field.key].insert(QString::fromStdString(fieldValueText(run.config->value(field.key))));
    }
    return values;
}

std::vector<std::string> differing(const std::vector<ComparedRun>& runs) {
    std::vector<std::string> keys;
    for (const auto& [key, found] : valuesOf(runs))
        if (found.size() > 1 && key != kSeed) keys.push_back(key);
    return keys;
}

QString partOf(const ComparedRun& run, const QString& key) {
    if (key == kAll) return QStringLiteral("all runs");
    if (key == kByFamily) return QString::fromStdString(run.data->summary.family);
    const auto& tags = run.data->summary.tags;
    if (key == kByTag) return tags.empty() ? QStringLiteral("no tag") : QString::fromStdString(tags.front());
    return QStringLiteral("%1 = %2").arg(key, settingOf(run, key.toStdString()));
}

/// All in which the run differs from the others, but its seed. What has no settings is alone.
QString settingsOf(const ComparedRun& run, const std::vector<std::string>& keys) {
    if (!run.config) return run.id;
    QStringList parts{QString::fromStdString(run.data->summary.family)};
    for (const std::string& key : keys) parts << partOf(run, QString::fromStdString(key));
    return parts.join(QStringLiteral(" · "));
}

/// The common prefix of the texts, without trailing separators and digits of a number; empty if it is too
/// short.
QString commonBegin(const QStringList& texts) {
    QString begin = texts.value(0);
    if (texts.size() < 2) return begin;
    for (const QString& text : texts)
        while (!text.startsWith(begin)) begin.chop(1);
    const bool isWhole = std::ranges::all_of(texts, [&](const auto& t) { return t == begin; });
    const auto isLetter = [](QChar c) { return c.isLetter(); };
    while (!isWhole && !begin.isEmpty() && !begin.back().isLetter()) begin.chop(1);
    return std::ranges::any_of(begin, isLetter) ? begin : QString();
}

/// Natural order: digits in them as numbers, whatever the locale.
bool isBefore(const QString& a, const QString& b) {
    return ::strverscmp(a.toUtf8().constData(), b.toUtf8().constData()) < 0;
}

}  // namespace

QList<std::pair<QString, QString>> RunGrouping::keys(const std::vector<ComparedRun>& runs) {
    QList<std::pair<QString, QString>> items;
    std::set<std::string> families;
    bool tagged = false;
    for (const ComparedRun& run : runs) {
        if (!run.data) continue;
        families.insert(run.data->summary.family);
        tagged |= !run.data->summary.tags.empty();
    }
    const auto values = valuesOf(runs);
    const auto seeds = values.find(kSeed);
    if (seeds != values.end() && seeds->second.size() > 1)
        items.append({kButSeed, QStringLiteral("all settings but the seed")});
    if (runs.size() > 1) items.append({kAll, QStringLiteral("all runs")});
    if (families.size() > 1) items.append({kByFamily, QStringLiteral("family")});
    if (tagged) items.append({kByTag, QStringLiteral("first tag")});
    for (const auto& [key, found] : values)
        if (found.size() > 1 && key != kSeed)
            items.append({QString::fromStdString(key), QString::fromStdString(key)});
    return items;
}

bool RunGrouping::canBeJoined(const QString& key) {
    return !key.isEmpty() && key != kAll && key != kButSeed;
}

RunGrouping::RunGrouping(const std::vector<ComparedRun>& runs, const QString& first, const QString& second)
    : isOn_(!first.isEmpty()) {
    if (!isOn_) return;
    const bool bySeeds = first == kButSeed, isJoined = canBeJoined(first) && canBeJoined(second);
    const std::vector<std::string> keys = bySeeds ? differing(runs) : std::vector<std::string>();
    std::map<QString, Group> found;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i].data) continue;
        QString title = bySeeds ? settingsOf(runs[i], keys) : partOf(runs[i], first);
        if (isJoined && second != first) title += QStringLiteral(" · ") + partOf(runs[i], second);
        found[title].members.push_back(i);
    }
    for (auto& [title, group] : found) {
        group.title = group.tip = title;
        for (const std::size_t member : group.members) group.tip += QLatin1Char('\n') + runs[member].title;
        groups_.push_back(std::move(group));
    }
    if (bySeeds) nameBySeeds(runs);
    std::ranges::stable_sort(groups_, isBefore, &Group::title);
}

/// By the members' names or folders where these distinguish the groups: a list of settings is long.
void RunGrouping::nameBySeeds(const std::vector<ComparedRun>& runs) {
    for (const auto part : {&ComparedRun::title, &ComparedRun::id}) {
        QStringList names;
        for (const Group& group : groups_) {
            QStringList members;
            for (const std::size_t member : group.members) members << runs[member].*part;
            names << commonBegin(members);
        }
        const QSet<QString> different(names.begin(), names.end());
        if (names.contains(QString()) || different.size() < names.size()) continue;
        for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].title = names[static_cast<qsizetype>(i)];
        return;
    }
}

const RunGrouping::Group* RunGrouping::groupOf(std::size_t run) const {
    for (const Group& group : groups_)
        if (std::ranges::find(group.members, run) != group.members.end()) return &group;
    return nullptr;
}

RunStyle RunGrouping::style(std::size_t group) {
    return styleAt(static_cast<int>(group));
}

}  // namespace kurve::views
