#include <set>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/platform.h"
#include "core/base/text.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/document_scores.h"
#include "core/metrics/embedding_match.h"
#include "core/metrics/future_perplexity.h"
#include "core/metrics/likelihood_bound.h"
#include "core/metrics/metric.h"
#include "core/metrics/perplexity.h"
#include "core/schedule/noise_schedule.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

json families() {
    json all = json::array();
    for (const auto& family : models::families()) {
        json alerts = json::array();
        for (const auto& watch : family->watches(0))
            alerts.push_back({{"id", watch->id()}, {"doc", watch->doc()}});
        all.push_back(toJson(train::schemaOf(*family)));
        all.back()["alerts"] = std::move(alerts);
    }
    return all;
}

json schedules() {
    json all = json::array();
    for (const auto& kind : schedule::scheduleKinds()) {
        json fields = json::array();
        for (const auto& field : kind.fields) fields.push_back(toJson(field));
        all.push_back({{"id", kind.id},
                       {"title", kind.title},
                       {"doc", kind.doc},
                       {"source", kind.source},
                       {"masking", kind.masking},
                       {"drawn", kind.drawn},
                       {"fields", fields}});
    }
    return all;
}

/// Metrics that kurve eval computes with the run itself.
struct ModelMetric {
    const char *id, *title, *better, *doc;
};
constexpr ModelMetric kModelMetrics[] = {
    {metrics::kPerplexity, "Perplexity", "lower",
     "exp of minus the mean log-probability of the references' tokens, EOS counted; of families with an "
     "exact likelihood"},
    {metrics::kNelbo, "NELBO", "lower",
     "negative evidence lower bound in nats per token, an upper bound of the negative log-likelihood; "
     "estimated by "
     "drawing noise, with its standard error"},
    {metrics::kPerplexityBound, "Perplexity bound", "lower",
     "exp of nelbo: an upper bound of the perplexity, not the perplexity"},
    {metrics::kBitsPerCharacter, "Bits per character", "lower",
     "negative log-likelihood in bits per character of the text, line ends counted; its upper bound where "
     "the "
     "family has no exact likelihood"},
    {metrics::kFuturePerplexity, "Average perplexity", "lower",
     "of families that predict several tokens at once: the mean over the positions ahead of the exp of their "
     "mean NLL; future_ppl_1, future_ppl_2, … are those of one position, of which only the first is the "
     "perplexity of a text"},
    {metrics::kFuturePerplexityGeometric, "Geometric mean perplexity", "lower",
     "the same with the NLLs averaged over the positions before the exp"},
    {metrics::kBrierLm, "BrierLM", "higher",
     "100 x geometric mean of Brier-1 to Brier-4, 0 where one of them is not above 0; of draws alone, so of "
     "families without a likelihood too. brier asks for all of its scores"},
    {metrics::kMutualInformation, "Mutual information", "higher",
     "MI of predicted next sentences by a scorer: nats a token by which the ten true sentences before make "
     "them "
     "likelier; beside it mi_truth and mi_other_document, of the true sentences and of another document's"},
    {metrics::kCoherence, "Coherence", "higher",
     "of the outputs' order of sentences by a scorer, 0 to 1: sigmoid of a third of the nats by which it is "
     "likelier than other orders; 0.5: the order says nothing. Beside it coherence_truth and "
     "coherence_permuted, of the split's own and of those in another order"},
    {metrics::kEmbeddingF1, "Embedding F1", "higher", metrics::kEmbeddingF1Doc}};

json modelMetric(const ModelMetric& of) {
    return {
        {"id", of.id},     {"title", of.title},       {"unit", ""}, {"better", of.better}, {"doc", of.doc},
        {"kind", "model"}, {"needs_references", true}};
}

/// Of the first n tokens together.
void addBrierOrders(json& all) {
    for (std::size_t n = 1; n <= metrics::kBrierOrders; ++n) {
        const std::string order = std::to_string(n), of = " of the first " + order + " tokens together";
        const auto add = [&](const std::string& part, const char* title, const char* better,
                             const std::string& doc) {
            const std::string id = fmt::format("{}{}-{}", metrics::kBrier, part, n),
                              named = fmt::format("{} {}", title, n);
            all.push_back(modelMetric({id.c_str(), named.c_str(), better, doc.c_str()}));
        };
        add("", "Brier", "higher", "100 x (2 accuracy - collision)" + of);
        add("-accuracy", "Brier accuracy", "higher", "100 x probability that a draw is the text's own," + of);
        add("-collision", "Brier collision", "lower", "100 x probability that two draws are equal," + of);
    }
}

json metrics() {
    json all = json::array();
    for (const auto& kind : metrics::metricKinds())
        all.push_back({{"id", kind.id},
                       {"title", kind.title},
                       {"unit", kind.unit},
                       {"better", kind.higherIsBetter ? "higher" : "lower"},
                       {"doc", kind.doc},
                       {"kind", "text"},
                       {"needs_references", kind.needsReferences}});
    for (const ModelMetric& metric : kModelMetrics) all.push_back(modelMetric(metric));
    addBrierOrders(all);
    std::set<std::string> known;
    const auto add = [&](const ScalarSpec& scalar) {
        if (!known.insert(scalar.id).second) return;
        all.push_back(toJson(scalar));
        all.back()["kind"] = "scalar";
    };
    for (const auto& scalar : metrics::commonScalars()) add(scalar);
    for (const auto& family : models::families())
        for (const auto& scalar : family->ownSchema().scalars) add(scalar);
    return all;
}

// A family's sampler is its sampler.* fields.
json samplers() {
    json all = json::array();
    for (const auto& family : models::families()) {
        const Schema schema = family->ownSchema();
        json fields = json::array();
        for (const auto& field : schema.fields)
            if (field.key.rfind("sampler.", 0) == 0) fields.push_back(toJson(field));
        all.push_back({{"id", schema.family}, {"title", schema.title}, {"fields", fields}});
    }
    return all;
}

struct Part {
    const char* name;
    json (*make)();
};
constexpr Part kParts[] = {{"families", families},
                           {"schedules", schedules},
                           {"metrics", metrics},
                           {"samplers", samplers},
                           {"devices", describeDevices}};

// The entry of a part that is called `name`.
Result<json> pick(const json& part, const std::string& name) {
    std::vector<std::string> ids;
    json found = json::array();
    for (const auto& entry : part) {
        ids.push_back(entry.at("id"));
        if (ids.back() == name) found.push_back(entry);
    }
    if (!found.empty()) return found;
    return requestError("describe.unknown", "there is no \"" + name + "\" here")
        .fix("known: " + join(ids, ", "));
}

/// What the field takes: "whole number, 2 to 4096 sentences", "one of sqrt, linear, file:…".
std::string takenBy(const json& field) {
    const std::string type = field["type"], unit = field["unit"];
    if (type == "choice") {
        auto known = field["choices"].get<std::vector<std::string>>();
        for (const std::string prefix : field.value("prefixes", json::array())) known.push_back(prefix + "…");
        return (known.size() == 1 ? "only " : "one of ") + join(known, ", ");
    }
    if (type == "flag") return "true or false";
    if (type == "run") {
        const auto fitting = field["fits"].get<std::vector<std::string>>();
        return fitting.empty() ? "run" : "run: " + join(fitting, ", ");
    }
    if (type == "text") return "text";
    std::string taken = type == "integer" ? "whole number" : "number";
    const json &low = field["min"], &high = field["max"];
    const auto shown = [](const json& bound) { return fmt::format("{:g}", bound.get<double>()); };
    if (!low.is_null()) taken += ", " + shown(low) + (high.is_null() ? " or more" : " to " + shown(high));
    if (low.is_null() && !high.is_null()) taken += ", at most " + shown(high);
    return unit.empty() ? taken : taken + (low.is_null() && high.is_null() ? ", " : " ") + unit;
}

std::string fieldLine(const json& field) {
    const std::string key = field["key"], doc = field["doc"], source = field["source"];
    const auto& fallback = field["default"];
    return fmt::format("  {:<28} {:<14} {} ({}{}){}\n", key,
                       fallback.is_string() ? fallback.get<std::string>() : fallback.dump(), doc,
                       takenBy(field), field["live"].get<bool>() ? "; live" : "",
                       source.empty() ? "" : " [" + source + "]");
}

std::string noteLine(const std::string& name, const std::string& text) {
    return fmt::format("  {:<28} {}\n", name, text);
}

/// A metric's or a family's own words.
std::string notes(const json& entry) {
    std::string text;
    if (entry.contains("better")) {
        const std::string unit = entry["unit"], doc = entry["doc"];
        text += fmt::format("  {}{}; {} is better\n", doc, unit.empty() ? "" : ", in " + unit,
                            entry["better"].get<std::string>());
    }
    if (entry.contains("paper")) text += noteLine("paper", entry["paper"]);
    for (const json& preset : entry.value("presets", json::array()))
        text += noteLine("preset " + preset["name"].get<std::string>(), preset["doc"]);
    for (const json& alert : entry.value("alerts", json::array()))
        text += noteLine("alert " + alert["id"].get<std::string>(), alert["doc"]);
    return text;
}

std::string asText(const json& document) {
    std::string text;
    for (const auto& [part, entries] : document.items()) {
        text += part + "\n";
        for (const auto& entry : entries) {
            const std::string id = entry["id"];
            text += fmt::format(" {:<22} {}\n", id, entry.value("title", ""));
            if (part == "devices") {
                for (const auto& [key, value] : entry.items())
                    text += fmt::format("  {:<20} {}\n", key, value.dump());
            } else if (document.size() == 1) {
                text += notes(entry);
                for (const auto& field : entry.value("fields", json::array())) text += fieldLine(field);
            }
        }
    }
    return text;
}

struct DescribeRequest {
    std::string part, name;
};

Status describe(const DescribeRequest& request, Output& out) {
    json document = json::object();
    for (const auto& part : kParts) {
        if (!request.part.empty() && request.part != part.name) continue;
        json entries = part.make();
        if (!request.name.empty()) {
            KURVE_TRY(entries, pick(entries, request.name));
        }
        document[part.name] = std::move(entries);
    }
    out.result(document, asText(document));
    return {};
}

}  // namespace

Action setupDescribe(CLI::App& app) {
    auto request = std::make_shared<DescribeRequest>();
    app.add_option("part", request->part, "families, schedules, metrics, samplers or devices (default: all)")
        ->check(CLI::IsMember({"families", "schedules", "metrics", "samplers", "devices"}));
    app.add_option("name", request->name, "one of them (default: all)");
    return [request](const CommonOptions&, Output& out) { return describe(*request, out); };
}

}  // namespace kurve::engine
