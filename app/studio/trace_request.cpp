#include "app/studio/trace_request.h"

namespace kurve::studio {

using views::PromptRequest;

PromptRequest requestOf(const trace::Trace& trace) {
    const auto text = [&](const char* key) { return QString::fromStdString(trace.metaText(key)); };
    PromptRequest request;
    request.runId = text("run");
    request.checkpoint = text("checkpoint_step");
    if (const QString name = text("checkpoint"); name.startsWith(QLatin1String("avg")))  // "avg5 of steps …"
        request.checkpoint = name.section(QLatin1Char(' '), 0, 0);
    request.input = text("prompt");
    request.reference = text("reference");
    request.seed = text("seed").toULongLong();
    request.row = text("noise_row").toULongLong();
    bool known = false;
    if (const qint64 number = text("candidate").toLongLong(&known); known) request.candidate = number;
    const auto sampler = nlohmann::json::parse(trace.metaText("sampler"), nullptr, false);
    if (sampler.is_object())
        for (const auto& [key, value] : sampler.items())
            request.settings[QString::fromStdString(key)] =
                QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    if (const QString parent = text("branch_parent"); !parent.isEmpty())
        request.branch = PromptRequest::Branch{parent, text("branch_step").toInt(), text("branch_edits")};
    return request;
}

nlohmann::json blocksOf(const PromptRequest& request) {
    if (request.what.isEmpty()) return {"latent", "curve"};
    nlohmann::json blocks = nlohmann::json::array();
    for (const QString& block : request.what) blocks.push_back(block.toStdString());
    return blocks;
}

nlohmann::json branchBody(const PromptRequest& request) {
    return {{"parent", request.branch->parent.toStdString()},
            {"step", request.branch->step},
            {"edits", nlohmann::json::parse(request.branch->edits.toStdString(), nullptr, false)},
            {"what", blocksOf(request)}};
}

}  // namespace kurve::studio
