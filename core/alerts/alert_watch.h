#pragma once

#include <map>
#include <optional>

#include "core/alerts/alert_rules.h"

namespace kurve::alerts {

struct Alarm {
    Action action = Action::Note;
    std::string text;  ///< what happened, one sentence
};

/// Looks at what a training logs and says when a rule is met: once, and again only after it was not met in
/// between. Pure: reads no clock and no disk. Used from one thread.
class AlertWatch {
public:
    explicit AlertWatch(const std::vector<Rule>& rules = {});

    /// Once per logged point or evaluation, with what is new.
    std::vector<Alarm> observe(std::int64_t step, const std::map<std::string, double>& metrics);
    std::vector<Alarm> observeDisk(double freeMegabytes);
    /// What to do about a step that was not finite; nullopt: no rule speaks of it.
    [[nodiscard]] std::optional<Action> onNonFinite() const;
    /// The end is to be told.
    [[nodiscard]] bool tellsEnd() const;
    [[nodiscard]] bool watchesDisk() const;

private:
    struct Watched {
        Rule rule;
        bool met = false;
        double mean = 0, weight = 0;  // of a spike: the recent points, debiased by the weight
        int points = 0;
        std::optional<double> best;
        std::int64_t bestStep = 0;
    };
    static std::optional<std::string> judge(Watched& watched, std::int64_t step, double value);
    std::vector<Watched> watched_;
};

}  // namespace kurve::alerts
