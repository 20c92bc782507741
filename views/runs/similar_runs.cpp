#include "views/runs/similar_runs.h"

#include <QObject>

#include "core/base/text.h"

namespace kurve::views {

namespace {

constexpr qsizetype kMost = 3, kLeastPart = 3;

}  // namespace

QStringList similarRuns(const QString& query, const std::vector<store::RunSummary>& runs) {
    QStringList similar;
    std::vector<std::string> words;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        const QString id = QString::fromStdString(run->id), name = QString::fromStdString(run->name);
        const bool part = query.size() >= kLeastPart && (id.contains(query, Qt::CaseInsensitive) ||
                                                         name.contains(query, Qt::CaseInsensitive));
        if (name == query)
            similar.prepend(id);
        else if (part)
            similar << id;
        words.push_back(run->id);
        words.push_back(run->name);
    }
    if (similar.isEmpty())
        if (const auto word = nearestWord(query.toStdString(), words))
            for (const auto& run : runs)
                if (run.id == *word || run.name == *word)
                    similar = QStringList{QString::fromStdString(run.id)};
    return similar.mid(0, kMost);
}

QString unknownRunText(const QString& query, const std::vector<store::RunSummary>& runs) {
    const QString none = QObject::tr("No run %1 in this project").arg(query);
    QStringList known;
    for (const QString& id : similarRuns(query, runs))
        for (const auto& run : runs)
            if (run.id == id.toStdString())
                known << (run.name.empty() || run.name == run.id
                              ? id
                              : QStringLiteral("%1 (%2)").arg(id, QString::fromStdString(run.name)));
    return known.isEmpty() ? none + QLatin1Char('.')
                           : none + QObject::tr("; did you mean %1?").arg(known.join(QStringLiteral(", ")));
}

}  // namespace kurve::views
