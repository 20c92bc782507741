#include "views/common/data/engine_info.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "core/store/evaluations.h"
#include "core/wire/fields.h"
#include "views/common/data/run_ranking.h"

namespace kurve::views {

namespace {

QString textIn(const nlohmann::json& item, const char* key) {
    return QString::fromStdString(wire::Fields(item).text(key));
}

QString say(const char* text) {
    return QCoreApplication::translate("kurve::views::EngineInfo", text);
}

EngineInfo::MetricText metricText(const nlohmann::json& item) {
    EngineInfo::MetricText result{textIn(item, "title"), textIn(item, "unit"), textIn(item, "doc"), false,
                                  false};
    if (result.title.isEmpty()) result.title = textIn(item, "id");
    result.higherIsBetter = textIn(item, "better") == QStringLiteral("higher");
    result.logScale = wire::Fields(item).flag("log_scale");
    result.ranked = isQuality(wire::Fields(item).text("id"));
    return result;
}

}  // namespace

Result<EngineInfo> EngineInfo::fromJson(const nlohmann::json& describe) {
    const wire::Fields fields(describe);
    if (!describe.is_object() || !describe.contains("families") || !describe["families"].is_array())
        return workError("engine.describe", "the engine's description has no list of families")
            .fix("build the engine and the studio from the same commit");
    EngineInfo info;
    for (const nlohmann::json& item : fields.list("families")) {
        KURVE_TRY(Schema schema, schemaFromJson(item));
        info.families_.push_back(std::make_shared<const Schema>(std::move(schema)));
    }
    for (const nlohmann::json& item : fields.list("metrics"))
        if (const std::string id = textIn(item, "id").toStdString(); !id.empty())
            info.metrics_.emplace(id, metricText(item));
    for (const nlohmann::json& device : fields.list("devices"))
        if (const std::string id = wire::Fields(device).text("id"); !id.empty()) info.devices_.push_back(id);
    return info;
}

std::shared_ptr<const Schema> EngineInfo::family(const std::string& id) const {
    for (const auto& schema : families_)
        if (schema->family == id) return schema;
    return nullptr;
}

SchemaLookup EngineInfo::schemas() const {
    return [families = families_](const std::string& id) -> Result<std::shared_ptr<const Schema>> {
        std::vector<std::string> known;
        for (const auto& schema : families) {
            if (schema->family == id) return schema;
            known.push_back(schema->family);
        }
        return requestError("config.unknown_family", "unknown model family '" + id + "'")
            .at("family")
            .fix("known: " + join(known, ", "));
    };
}

EngineInfo::MetricText EngineInfo::metric(const std::string& id) const {
    if (const auto found = metrics_.find(id); found != metrics_.end()) return found->second;
    QString title = QString::fromStdString(id);
    if (const auto score = store::scoreName(id)) {
        MetricText text = metric(score->metric);
        text.ranked = text.ranked || metrics_.contains(score->metric);
        const std::string of = score->split + (score->settings.empty() ? "" : ", " + score->settings);
        text.title = QStringLiteral("%1 (%2)").arg(text.title, QString::fromStdString(of));
        return text;
    }
    // Of the index, not of the engine: see frontier::frontNumbers().
    if (id == "front_area")
        return {
            say("hypervolume"),
            {},
            say("Accuracy and diversity: hypervolume of the Pareto front of the run's sweeps over distinct-2 "
                "(0 to 1) and chrF / 100, reference point (0, 0). Higher is better; compare runs that "
                "decoded "
                "the same sentences."),
            true,
            false,
            true};
    if (id == "front_distance")
        return {say("front distance"),
                {},
                say("Accuracy and diversity: distance of the nearest point of the run's sweeps from the "
                    "references, over distinct-2 (0 to 1) and chrF / 100. Lower is better; compare runs that "
                    "decoded the same sentences."),
                false,
                false,
                true};
    title.replace(QLatin1Char('_'), QLatin1Char(' '));
    const bool bleu = isBleu(id), loss = isLoss(id) || id == "eval_loss";  // of Hugging Face's Trainer
    return {title, {}, {}, bleu, false, bleu || loss};
}

}  // namespace kurve::views
