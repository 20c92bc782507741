#include "models/common/schedule_checks.h"

#include "core/schedule/noise_schedule.h"

namespace kurve::models {

Status checkSchedule(const RunConfig& config, const char* key) {
    const std::string& id = config.text(key);
    // First without "steps": a mask schedule has no such parameter, and the answer is to name its kind.
    auto made = schedule::makeSchedule(id);
    if (made && (*made)->maskProbability(0.5))
        return requestError("model.schedule", "a mask schedule; this model diffuses embeddings")
            .at(key)
            .fix("choose one of kind = \"gaussian\"");
    if (made)
        made = schedule::makeSchedule(id, {{"steps", std::to_string(config.integer("diffusion.steps"))}});
    if (made) return {};
    Error error = made.error();
    if (!error.field.empty()) error.message = error.field + ": " + error.message;
    error.field = key;
    return error;
}

}  // namespace kurve::models
