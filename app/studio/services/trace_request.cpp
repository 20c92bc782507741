#include "app/studio/services/trace_request.h"

#include "core/base/inside.h"
#include "core/base/json_depth.h"

namespace kurve::studio {

using views::PromptRequest;

namespace {

std::string shortKey(const QString& key) {
    return key.section(QLatin1Char('.'), 1).toStdString();
}

/// The engine checks the type; here numbers are only told from texts.
nlohmann::json jsonValue(const QString& text) {
    bool whole = false, real = false;
    const qlonglong integer = text.toLongLong(&whole);
    const double number = text.toDouble(&real);
    if (whole) return integer;
    if (real) return number;
    if (text == QLatin1String("true") || text == QLatin1String("false")) return text == QLatin1String("true");
    return text.toStdString();
}

nlohmann::json samplerOf(const PromptRequest& request) {
    nlohmann::json sampler = nlohmann::json::object();
    for (const auto& [key, value] : request.defaults) sampler[shortKey(key)] = jsonValue(value);
    for (const auto& [key, value] : request.settings) sampler[shortKey(key)] = jsonValue(value);
    return sampler;
}

nlohmann::json blocksOf(const PromptRequest& request) {
    if (request.what.isEmpty()) return {"latent", "curve"};
    nlohmann::json blocks = nlohmann::json::array();
    for (const QString& block : request.what) blocks.push_back(block.toStdString());
    return blocks;
}

}  // namespace

PromptRequest requestOf(const trace::Trace& trace) {
    const auto text = [&](const char* key) { return QString::fromStdString(trace.metaText(key)); };
    PromptRequest request;
    // A trace may come from anywhere; a path in it must not reach the engine.
    const auto named = [&](const char* key) {
        return isFileName(trace.metaText(key)) && !text(key).startsWith(QLatin1Char('-')) ? text(key)
                                                                                          : QString();
    };
    request.runId = named("run");
    request.checkpoint = views::requestedCheckpoint(text("checkpoint"), named("checkpoint_step"));
    request.input = text("prompt");
    if (const QString kind = text("prompt_kind"); !kind.isEmpty()) request.kind = kind;
    request.reference = text("reference");
    request.seed = text("seed").toULongLong();
    request.row = text("noise_row").toULongLong();
    bool known = false;
    if (const qint64 number = text("candidate").toLongLong(&known); known) request.candidate = number;
    const std::string all = trace.metaText("sampler");
    const auto sampler =
        jsonDeeperThan(all, 4) ? nlohmann::json() : nlohmann::json::parse(all, nullptr, false);
    if (sampler.is_object())
        for (const auto& [key, value] : sampler.items())
            request.settings[QString::fromStdString(key)] =
                QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    if (const QString parent = text("branch_parent"); !parent.isEmpty())
        request.branch = PromptRequest::Branch{parent, text("branch_step").toInt(), text("branch_edits")};
    return request;
}

EngineQuestion questionOf(const PromptRequest& request) {
    if (request.branch)
        return {"branch",
                {{"parent", request.branch->parent.toStdString()},
                 {"step", request.branch->step},
                 {"edits", nlohmann::json::parse(request.branch->edits.toStdString(), nullptr, false)},
                 {"what", blocksOf(request)}}};
    EngineQuestion question{"trace",
                            {{"input", request.input.toStdString()},
                             {"sampler", samplerOf(request)},
                             {"reference", request.reference.toStdString()},
                             {"seed", request.seed},
                             {"what", blocksOf(request)}}};
    if (request.kind != QLatin1String("source")) question.body["prompt"] = request.kind.toStdString();
    if (request.row != 0) question.body["row"] = request.row;
    if (request.candidate) question.body["candidate"] = *request.candidate;
    return question;
}

}  // namespace kurve::studio
