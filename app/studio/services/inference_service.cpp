#include "app/studio/services/inference_service.h"

#include <algorithm>
#include <utility>

#include "app/studio/engine/engine_link.h"
#include "core/wire/fields.h"

namespace kurve::studio {

InferenceService::InferenceService(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), engine_(std::move(program), std::move(project)) {
    connect(&engine_, &InferenceProcess::serving, this, &InferenceService::sendAll);
    connect(&engine_, &InferenceProcess::received, this, &InferenceService::take);
    connect(&engine_, &InferenceProcess::failed, this, &InferenceService::fail);
}

void InferenceService::ask(views::InferenceRequest request, Done done, QObject* owner) {
    if (request.run != run_ || request.checkpoint != checkpoint_) {
        waiting_.clear();
        sent_.clear();
    }
    run_ = request.run;
    checkpoint_ = request.checkpoint;
    waiting_.push_back(
        {std::to_string(++count_), std::move(request.type), std::move(request.body), std::move(done), owner});
    if (engine_.load(run_, checkpoint_)) sendAll();
}

void InferenceService::release() {
    waiting_.clear();
    sent_.clear();
    engine_.release();
}

void InferenceService::sendAll() {
    for (Pending& each : std::exchange(waiting_, {})) {
        engine_.send(each.type, std::move(each.body), each.id);
        sent_.push_back(std::move(each));
    }
}

void InferenceService::take(const wire::Message& message) {
    const auto found =
        std::find_if(sent_.begin(), sent_.end(), [&](const Pending& each) { return each.id == message.id; });
    if (found == sent_.end()) return;
    const Pending pending = std::move(*found);
    sent_.erase(found);
    if (message.type == "error")
        return answer(pending, workError(wire::Fields(message.body).text("code", "engine.failed"),
                                         errorText(message).toStdString()));
    answer(pending, message.body);
}

void InferenceService::fail(const QString& why) {
    std::vector<Pending> lost = std::exchange(sent_, {});
    for (Pending& each : std::exchange(waiting_, {})) lost.push_back(std::move(each));
    for (const Pending& each : lost) answer(each, workError("engine.failed", why.toStdString()));
}

void InferenceService::answer(const Pending& pending, const Result<nlohmann::json>& result) {
    if (pending.owner) pending.done(result);
}

}  // namespace kurve::studio
