#include "app/studio/session/queued_references.h"

#include <algorithm>

#include "core/base/file.h"

namespace kurve::studio {
namespace {

using views::QueueItem;

Result<RunConfig> configOf(const QueueItem& item, const views::EngineInfo& engine,
                           const std::filesystem::path& project) {
    const std::string file = (project / item.words.value(1).toStdString()).string();
    std::string text = item.experiment.toStdString();
    if (text.empty()) {
        KURVE_TRY(text, readFile(file));
    }
    std::vector<Override> sets;
    for (qsizetype i = 2; i + 1 < item.words.size(); ++i)
        if (item.words[i] == QLatin1String("--set"))
            sets.emplace_back(item.words[i + 1].section(QLatin1Char('='), 0, 0).toStdString(),
                              item.words[i + 1].section(QLatin1Char('='), 1).toStdString());
    return RunConfig::parse(text, file, engine.schemas(), sets);
}

bool names(const RunConfig& config, const std::string& run) {
    const auto& fields = config.schema().fields;
    return std::any_of(fields.begin(), fields.end(), [&](const FieldSpec& field) {
        if (field.type != FieldType::Run) return false;
        const auto reference = parseRunReference(field, config.text(field.key));
        return reference && *reference && (*reference)->run == run;
    });
}

}  // namespace

QStringList queuedWith(const QString& run, const views::QueueState& queue, const views::EngineInfo& engine,
                       const std::filesystem::path& project) {
    QStringList titles;
    for (const QueueItem& item : queue.items) {
        const bool waits = item.state == QueueItem::State::Waiting || item.state == QueueItem::State::Held;
        if (!waits) continue;
        const auto config = configOf(item, engine, project);
        if (config && names(*config, run.toStdString())) titles << item.title;
    }
    return titles;
}

}  // namespace kurve::studio
