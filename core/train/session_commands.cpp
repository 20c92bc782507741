#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/train/run_record.h"
#include "core/train/session.h"
#include "core/wire/fields.h"

namespace kurve::train {
namespace {

using nlohmann::json;

}  // namespace

void TrainingSession::handleCommands(double waitSeconds) {
    for (const auto& command : link_.commands(waitSeconds)) handle(command);
}

void TrainingSession::handle(const wire::Message& command) {
    // "Sample now" names no input: the fixed prompts are evaluated and traced.
    if (command.type == "sample" && !command.body.contains("input") && !command.body.contains("inputs")) {
        StepLog log = log_;  // of a copy: changes no later point
        return evaluate(log);
    }
    if (InferenceServer::handles(command.type)) return answer(command);
    if (command.type == "pause") return pause("by command");
    if (command.type == "resume") return resume();
    if (command.type == "set") return setLive(command);
    if (command.type == "checkpoint") {
        notice("checkpoint", "by command");
        return save();
    }
    if (command.type == "pin") return pin(command);
    if (command.type == "state") return setState(state_, reason_);  // a client that has just connected
    if (command.type != "stop") return;
    reason_ = wire::Fields(command.body).text("reason", "stopped by command");
    result_.stoppedByUser = stopping_ = true;
}

// A device without memory left for the averaged weights costs the answer, not the run.
void TrainingSession::answer(const wire::Message& request) {
    try {
        const Trainer::Evaluation guard(*trainer_);
        server_->answer(request, trainer_->model(), origin(), link_);
    } catch (const distributed::RankLost&) {
        throw;
    } catch (const std::exception& error) {
        link_.emit(errorEvent(errorOf(error, "request.failed"), request.id));
    }
}

void TrainingSession::pause(const std::string& reason) {
    if (paused_) return;
    updateTime();
    paused_ = true;
    notice("paused", reason);
    setState("paused", reason);
}

void TrainingSession::resume() {
    if (!paused_) return;
    updateTime();
    paused_ = false;
    recordFailing_ = false;
    notice("resumed", "by command");
    setState("running", "");
    if (savePending_) save();
}

void TrainingSession::setState(const std::string& state, const std::string& reason) {
    state_ = state;
    reason_ = reason;
    writer_->set("state", state);
    writer_->set("reason", reason);
    writer_->set("total_steps", std::to_string(limit()));
    writer_->set("planned_seconds", exactText(plannedSeconds()));
    link_.emit(event("state", {{"state", state},
                               {"reason", reason},
                               {"step", trainer_->steps()},
                               {"total", limit()},
                               {"planned_seconds", plannedSeconds()}}));
}

void TrainingSession::pin(const wire::Message& command) {
    const json step = command.body.value("step", json());
    const json pinned = command.body.value("pinned", json(true));
    if (!step.is_number_integer() || !pinned.is_boolean())
        return link_.emit(errorEvent(
            requestError("wire.bad_request", "\"pin\" takes a step and, if it is to go, \"pinned\": false"),
            command.id));
    const auto row = checkpoints_->pin(step.get<std::int64_t>(), pinned.get<bool>());
    if (!row) return link_.emit(errorEvent(row.error(), command.id));
    notice(row->pinned ? "pinned" : "unpinned", fmt::format("checkpoint of step {}", row->step));
    link_.emit(event("pinned", {{"step", row->step}, {"path", row->path.text()}, {"pinned", row->pinned}},
                     command.id));
}

// Changes a whitelisted setting of the running training; kept in checkpoints, so that resume and replay know
// it.
void TrainingSession::setLive(const wire::Message& command) {
    const std::string key = wire::Fields(command.body).text("key");
    const json value = command.body.value("value", json());
    const FieldSpec* field = config_.schema().find(key);
    const auto refuse = [&](Error error) { link_.emit(errorEvent(error, command.id)); };
    if (field == nullptr || !field->live) {
        std::vector<std::string> allowed;
        for (const auto& known : config_.schema().fields)
            if (known.live) allowed.push_back(known.key);
        return refuse(requestError("wire.not_live", "\"" + key + "\" cannot be changed while training")
                          .at(key)
                          .fix("these can: " + join(allowed, ", ")));
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (const auto status = change(key, text); !status) refuse(status.error());
}

Status TrainingSession::change(const std::string& key, const std::string& value) {
    const std::vector<Override> wanted{{key, value}};
    KURVE_TRY(RunConfig changed, config_.with(wanted));
    config_ = std::move(changed);
    trainer_->setConfig(config_);
    const FieldSpec* field = config_.schema().find(key);
    if (field != nullptr && field->affectsResult) {
        live_.push_back({trainer_->steps(), key, value});
        changedSinceSave_ = true;
    }
    // What holds now, beside `config`, which says how the run began.
    json now = json::object();
    for (const auto& difference : difference(request_.config, config_))
        now[difference.key] = difference.right;
    writer_->set("live_settings", now.dump());
    notice("set", key + " = " + value);
    return {};
}

}  // namespace kurve::train
