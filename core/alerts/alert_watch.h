#pragma once

#include <deque>
#include <map>
#include <optional>

#include "core/alerts/alert_rules.h"

namespace kurve::alerts {

struct Alarm {
    Action action = Action::Note;
    std::string text;  ///< what happened, one sentence
};

/// Observes what a training logs and raises an alarm when a rule is met: once, and again only after it was
/// not met in between. Pure: reads no clock and no disk. Used from one thread.
class AlertWatch {
public:
    explicit AlertWatch(const std::vector<Rule>& rules = {});

    /// Mean of -log of the words' own frequencies in the training targets, in nats: what a model reaches that
    /// has learned nothing else. Without it rules of kind Unigram are off.
    void unigramLevel(double nats) { unigramLevel_ = nats; }
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
    [[nodiscard]] std::optional<std::string> checkWords(const Rule& rule) const;
    void recordWords(std::int64_t step, const std::map<std::string, double>& metrics);

    /// NLL and length loss of a point.
    struct Words {
        std::int64_t step = 0;
        double nll = 0, length = 0;
    };
    std::vector<Watched> watched_;
    std::optional<double> unigramLevel_;
    std::deque<Words> words_;            // the window of the longest rule of kind Unigram
    std::optional<double> firstLength_;  // length loss of the first point
};

}  // namespace kurve::alerts
