#include "views/compare/differing_settings.h"

#include <QFont>
#include <QStringList>
#include <algorithm>
#include <set>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

const RunConfig* firstReadable(const std::vector<ComparedRun>& runs) {
    const auto found = std::ranges::find_if(runs, [](const auto& run) { return run.config.has_value(); });
    return found == runs.end() ? nullptr : &*found->config;
}

QString valueText(const ComparedRun& run, const std::string& key) {
    if (!run.config || !run.config->has(key)) return {};
    return QString::fromStdString(fieldValueText(run.config->value(key)));
}

QString docOf(const std::vector<ComparedRun>& runs, const std::string& key) {
    for (const ComparedRun& run : runs) {
        const FieldSpec* field = run.config ? run.config->schema().find(key) : nullptr;
        if (field) return QString::fromStdString(field->doc);
    }
    return {};
}

/// `values`: by run; empty where a run has no such setting.
CellRow rowOf(const QString& key, const QString& tip, const std::vector<ComparedRun>& runs,
              const QStringList& values) {
    CellRow row{{{Qt::DisplayRole, key}, {Qt::ToolTipRole, tip}}};
    for (qsizetype run = 0; run < values.size(); ++run) {
        const QString &value = values[run], &problem = runs[static_cast<std::size_t>(run)].configProblem;
        const bool differs = run > 0 && value != values.front();
        QFont font = monoFont();
        font.setBold(differs);
        const bool strong = !value.isEmpty() && (run == 0 || differs);
        row.push_back({{Qt::DisplayRole, value.isEmpty() ? QStringLiteral("–") : value},
                       {Qt::ToolTipRole, problem.isEmpty() ? tip : problem},
                       {Qt::FontRole, font},
                       {Qt::ForegroundRole, strong ? theme().text : theme().muted}});
    }
    return row;
}

}  // namespace

std::vector<CellRow> differingSettings(const std::vector<ComparedRun>& runs) {
    const RunConfig* first = firstReadable(runs);
    if (!first) return {};
    std::set<std::string> keys;
    QStringList families;
    for (const ComparedRun& run : runs) {
        families << (run.config ? QString::fromStdString(run.config->family()) : QString());
        if (run.config)
            for (const ConfigDifference& d : difference(*first, *run.config)) keys.insert(d.key);
    }
    std::vector<CellRow> common, partial;
    const auto add = [&](const QString& key, const QString& tip, const QStringList& values) {
        (values.contains(QString()) ? partial : common).push_back(rowOf(key, tip, runs, values));
    };
    if (const QString family = QString::fromStdString(first->family());
        std::ranges::any_of(families, [&](const QString& one) { return !one.isEmpty() && one != family; }))
        add(QStringLiteral("family"), QStringLiteral("the model family"), families);
    keys.erase("family");
    for (const std::string& key : keys) {
        QStringList values;
        for (const ComparedRun& run : runs) values << valueText(run, key);
        add(QString::fromStdString(key), docOf(runs, key), values);
    }
    common.insert(common.end(), partial.begin(), partial.end());
    return common;
}

}  // namespace kurve::views
