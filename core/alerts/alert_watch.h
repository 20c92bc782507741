#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/alerts/alert_rules.h"
#include "core/alerts/family_watch.h"

namespace kurve::alerts {

struct Alarm {
    Action action = Action::Note;
    std::string text;        ///< what happened, one sentence
    std::string watch = {};  ///< FamilyWatch::id() of the one that found it
};

/// Observes what a training logs and raises an alarm when a rule is met: once, and again only after it was
/// not met in between. Pure: reads no clock and no disk. Used from one thread.
class AlertWatch {
public:
    explicit AlertWatch(const std::vector<Rule>& rules = {},
                        std::vector<std::unique_ptr<FamilyWatch>> watches = {});

    /// Once per logged point or evaluation, with what is new.
    std::vector<Alarm> observe(std::int64_t step, const std::map<std::string, double>& metrics);
    std::vector<Alarm> observeDisk(double freeMegabytes);
    /// What to do about a step that was not finite; nullopt: no rule covers it.
    [[nodiscard]] std::optional<Action> onNonFinite() const;
    /// The end of the run is to be reported.
    [[nodiscard]] bool reportsEnd() const;
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
    static std::optional<std::string> check(Watched& watched, std::int64_t step, double value);
    std::vector<Watched> watched_;
    std::vector<std::unique_ptr<FamilyWatch>> watches_;  // that have found nothing yet
};

}  // namespace kurve::alerts
