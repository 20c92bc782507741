#include "views/runs/near_runs.h"

#include <QCoreApplication>

#include "core/base/text.h"

namespace kurve::views {

namespace {

constexpr qsizetype kMost = 3, kLeastPart = 3;

}  // namespace

QStringList nearRuns(const QString& asked, const std::vector<store::RunSummary>& runs) {
    QStringList near;
    std::vector<std::string> words;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        const QString id = QString::fromStdString(run->id), name = QString::fromStdString(run->name);
        const bool part = asked.size() >= kLeastPart && (id.contains(asked, Qt::CaseInsensitive) ||
                                                         name.contains(asked, Qt::CaseInsensitive));
        if (name == asked)
            near.prepend(id);
        else if (part)
            near << id;
        words.push_back(run->id);
        words.push_back(run->name);
    }
    if (near.isEmpty())
        if (const auto word = nearestWord(asked.toStdString(), words))
            for (const auto& run : runs)
                if (run.id == *word || run.name == *word) near = QStringList{QString::fromStdString(run.id)};
    return near.mid(0, kMost);
}

QString noSuchRun(const QString& asked, const std::vector<store::RunSummary>& runs) {
    const auto text = [](const char* words) { return QCoreApplication::translate("nearRuns", words); };
    const QString none = text("There is no run %1 in this project").arg(asked);
    QStringList known;
    for (const QString& id : nearRuns(asked, runs))
        for (const auto& run : runs)
            if (run.id == id.toStdString())
                known << (run.name.empty() || run.name == run.id
                              ? id
                              : QStringLiteral("%1 (%2)").arg(id, QString::fromStdString(run.name)));
    return known.isEmpty() ? none + QLatin1Char('.')
                           : none + text("; did you mean %1?").arg(known.join(QStringLiteral(", ")));
}

}  // namespace kurve::views
